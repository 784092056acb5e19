//! Any text, and any vocabulary: what is encoded can be decoded, where every byte has a token to the very same bytes,
//! and a stream shows what the whole does.

#![no_main]

#[path = "../../tests/bad_files/alphabet.rs"]
mod alphabet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use vt::models::tokenizer::{EncodeOptions, SpecialIds, TextStream, TokenType, Tokenizer, Vocab};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    vocabulary: Vocabulary<'a>,
    /// Which pre-tokenizer.
    pre: u8,
    add_bos: bool,
    special: bool,
    text: &'a [u8],
}

#[derive(Arbitrary, Debug)]
enum Vocabulary<'a> {
    /// A token for each byte, and these merges of them.
    Whole(Vec<(u8, u8)>),
    /// Anything.
    Any(Parts<'a>),
}

#[derive(Arbitrary, Debug)]
struct Parts<'a> {
    model: u8,
    tokens: Vec<(&'a [u8], u8)>,
    merges: Vec<&'a [u8]>,
    ids: [Option<u8>; 4],
    add: [Option<bool>; 2],
}

const PRE: [&str; 6] = ["gpt-2", "llama-bpe", "qwen2", "qwen35", "smollm", "default"];
const MODELS: [&str; 2] = ["gpt2", "llama"];

fn pick(names: &[&str], number: u8) -> String {
    names[usize::from(number) % names.len()].to_owned()
}

fn vocabulary(input: &Input<'_>) -> Vocab {
    let pre = Some(pick(&PRE, input.pre));
    match &input.vocabulary {
        Vocabulary::Whole(pairs) => {
            let letters: Vec<String> = (0..=255).map(|byte| alphabet::letter(byte).to_string()).collect();
            let pairs = pairs.iter().map(|(a, b)| (&letters[usize::from(*a)], &letters[usize::from(*b)]));
            let merges = Some(pairs.clone().map(|(a, b)| format!("{a} {b}")).collect::<Vec<_>>().iter().collect());
            let whole: Vec<String> = pairs.map(|(a, b)| format!("{a}{b}")).collect();
            let tokens = letters.iter().chain(&whole).collect();
            Vocab { model: "gpt2".to_owned(), pre, tokens, merges, ..Vocab::default() }
        }
        Vocabulary::Any(parts) => any(parts, pre),
    }
}

fn any(parts: &Parts<'_>, pre: Option<String>) -> Vocab {
    let [bos, eos, eot, fim_pre] = parts.ids.map(|id| id.map(u32::from));
    Vocab {
        model: pick(&MODELS, parts.model),
        pre,
        tokens: parts.tokens.iter().map(|(text, _)| text).collect(),
        token_types: parts.tokens.iter().map(|(_, kind)| TokenType::from_gguf(i64::from(kind % 8))).collect(),
        merges: Some(parts.merges.iter().collect()),
        special: SpecialIds { bos, eos, eot, fim_pre, ..SpecialIds::default() },
        add_bos: parts.add[0],
        add_eos: parts.add[1],
        ..Vocab::default()
    }
}

fn streamed(tokenizer: &Tokenizer, tokens: &[u32], special: bool) -> String {
    let mut stream = TextStream::new(special);
    let mut text: String = tokens.iter().map(|id| stream.push(tokenizer, *id).to_owned()).collect();
    text.push_str(stream.flush());
    text
}

fuzz_target!(|input: Input<'_>| {
    let Ok(tokenizer) = Tokenizer::new(vocabulary(&input)) else { return };
    let tokens = tokenizer.encode(input.text, EncodeOptions { add_bos: input.add_bos, special: input.special });
    for special in [false, true] {
        let whole = tokenizer.decode(&tokens, special).expect("the tokenizer's own ids");
        assert_eq!(streamed(&tokenizer, &tokens, special), String::from_utf8_lossy(&whole));
    }
    if matches!(input.vocabulary, Vocabulary::Whole(_)) {
        assert_eq!(tokenizer.decode(&tokens, true).expect("the tokenizer's own ids"), input.text);
    }
});
