//! Words of each pre-tokenizer against a file made with a regular-expression engine from the stated expressions.

use super::{PRE_TOKENIZERS, PreTokenizer, TokenizerError};

/// Lines of a name, a tab, and a JSON list of words.
const VECTORS: &str = include_str!("../../../tests/data/pre_tokenizers.tsv");

fn words(pre: &PreTokenizer, text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    pre.split(text, &mut |word| words.push(word.to_vec()));
    words
}

#[test]
fn words_are_those_of_the_expressions() {
    let mut seen = std::collections::BTreeMap::new();
    for line in VECTORS.lines() {
        let (name, list) = line.split_once('\t').unwrap();
        let expected: Vec<String> = serde_json::from_str(list).unwrap();
        let text = expected.concat();
        let found = words(PreTokenizer::by_name(name).unwrap(), text.as_bytes());
        let found: Vec<_> = found.iter().map(|word| str::from_utf8(word).unwrap()).collect();
        assert_eq!(found, expected, "{name}: {text:?}");
        *seen.entry(name).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), PRE_TOKENIZERS.len());
    assert!(seen.values().all(|&count| count >= 50));
}

#[test]
fn words_of_any_bytes_are_the_text() {
    let mut state = 1_u32;
    let mut text = Vec::new();
    for _ in 0..5000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let alphabet = b" \n\r'sa1.\xcc\x81\xe5\xad\x97\xff\xc3";
        text.push(alphabet[(state >> 16) as usize % alphabet.len()]);
    }
    for pre in &PRE_TOKENIZERS {
        let found = words(pre, &text);
        assert!(found.iter().all(|word| !word.is_empty()));
        assert_eq!(found.concat(), text, "{}", pre.name());
        assert_eq!(words(pre, b"").concat(), b"");
    }
}

#[test]
fn an_unknown_name_is_told_the_known_ones() {
    let error = PreTokenizer::by_name("gpt-5").unwrap_err();
    let TokenizerError::UnsupportedPre { pre, supported } = &error else { panic!("{error}") };
    assert_eq!(pre, "gpt-5");
    for name in ["default", "gpt-2", "llama-bpe", "qwen2", "qwen35", "smollm"] {
        assert!(supported.contains(name), "{supported}");
    }
}
