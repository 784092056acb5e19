//! Small SentencePiece vocabularies against llama.cpp's answers: `goldens/tokenizers/spm.py` makes both.

use serde_json::Value;

use super::super::*;

const CASES: &str = include_str!("../../../../goldens/tokenizers/spm/cases.jsonl");

macro_rules! vocabularies {
    ($($name:literal),+) => {
        [$(($name, include_bytes!(concat!("../../../../goldens/tokenizers/spm/", $name, ".gguf")) as &[u8])),+]
    };
}

/// The vocabularies of the goldens by name.
pub(super) const FILES: [(&str, &[u8]); 4] = vocabularies!["plain", "bare", "after", "before"];

/// A vocabulary of the goldens.
pub(super) fn vocab(name: &str) -> Vocab {
    let (_, bytes) = FILES.iter().find(|file| file.0 == name).unwrap();
    crate::load::vocab(&vt_gguf::Gguf::from_bytes(std::sync::Arc::new(bytes.to_vec())).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        list => list.as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap() as u8).collect(),
    }
}

#[test]
fn tokens_and_texts_are_those_of_llama_cpp() {
    for (name, _) in FILES {
        let tokenizer = Tokenizer::new(vocab(name)).unwrap();
        let mut seen = 0;
        let cases = CASES.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        for case in cases.filter(|case| case["vocabulary"] == name) {
            let text = bytes(&case["text"]);
            let options = |both| EncodeOptions { add_bos: both & 1 != 0, special: both & 2 != 0 };
            let lists: Vec<Vec<u32>> = (0..4).map(|both| tokenizer.encode(&text, options(both))).collect();
            let expected: Vec<Vec<u32>> = serde_json::from_value(case["tokens"].clone()).unwrap();
            assert_eq!(lists, expected, "{name}: {}", case["text"]);
            let shown =
                lists[2..].iter().flat_map(|list| [false, true].map(|all| tokenizer.decode(list, all).unwrap()));
            let expected: Vec<Vec<u8>> = case["shown"].as_array().unwrap().iter().map(bytes).collect();
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{name}: {}", case["text"]);
            seen += 1;
        }
        assert!(seen >= 60, "{name}");
    }
}
