//! Vocabularies of the SentencePiece kind.

use crate::forge::{File, VOCAB, Value, array, array_of, bool, f32, f64, i32, string, strings, u32, u64};
use crate::kind::{Kind, check_only, tokenizer};

pub const SCORES: &str = "tokenizer.ggml.scores";
pub const TOKENS: &str = "tokenizer.ggml.tokens";
pub const TYPES: &str = "tokenizer.ggml.token_type";
const UNKNOWN: &str = "tokenizer.ggml.unknown_token_id";
const SPACE: &str = "tokenizer.ggml.add_space_prefix";
const CHARSMAP: &str = "tokenizer.ggml.precompiled_charsmap";

/// The token of byte 0; the others follow.
pub const BYTES: usize = 3;

/// The last token, a piece that no other is made of.
pub const LAST: usize = VOCAB as usize - 1;

/// The tokens: three special ones, the bytes, and three pieces.
pub fn tokens() -> Vec<String> {
    let special = ["<unk>", "<s>", "</s>"].map(str::to_owned);
    let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
    special.into_iter().chain(bytes).chain(["\u{2581}", "h", "\u{2581}h"].map(str::to_owned)).collect()
}

/// The types of the tokens.
pub fn types() -> Vec<Value> {
    let kind = |id| match id {
        0 => 2,
        1 | 2 => 3,
        _ if id < BYTES + 256 => 6,
        _ => 1,
    };
    (0..=LAST).map(|id| i32(kind(id))).collect()
}

/// A score for each token, the highest first.
pub fn scores() -> Vec<Value> {
    (0..VOCAB).map(|id| f32(-(id as f32))).collect()
}

/// Such a vocabulary in the place of the other one.
pub fn vocabulary(f: &mut File) {
    f.remove("tokenizer.ggml.merges");
    f.remove("tokenizer.ggml.pre");
    f.set("tokenizer.ggml.model", string("llama"));
    f.set(TOKENS, strings(&tokens()));
    f.set(TYPES, array_of(&types()));
    f.set(SCORES, array_of(&scores()));
    f.set("tokenizer.ggml.bos_token_id", u32(1));
    f.set("tokenizer.ggml.eos_token_id", u32(2));
    f.set(UNKNOWN, u32(0));
}

/// The vocabulary with another score of the last token.
pub fn with_score(f: &mut File, score: Value) {
    vocabulary(f);
    let mut scores = scores();
    scores[LAST] = score;
    f.set(SCORES, array_of(&scores));
}

/// The vocabulary with a value for a key.
pub fn with(f: &mut File, key: &str, value: Value) {
    vocabulary(f);
    f.set(key, value);
}

/// The vocabulary with another text of one token.
pub fn with_token(f: &mut File, id: usize, text: &str) {
    let mut tokens = tokens();
    tokens[id] = text.to_owned();
    with(f, TOKENS, strings(&tokens));
}

/// A normalizer that claims `length` bytes of a table, and has eight.
fn charsmap(length: u32) -> Value {
    array(0, 12, [length.to_le_bytes(), [0; 4], [0; 4]].concat())
}

pub const KINDS: &[Kind] = &[
    tokenizer("scores-none", "The pieces have no scores: what is merged first is not known.", "scores", |f| {
        vocabulary(f);
        f.remove(SCORES);
    }),
    tokenizer("scores-one-less", "One piece has no score.", "scores", |f| with(f, SCORES, array_of(&scores()[1..]))),
    tokenizer("scores-empty", "The list of scores is empty.", "scores", |f| with(f, SCORES, array_of(&[]))),
    tokenizer("scores-of-doubles", "The scores are of 64 bits.", SCORES, |f| {
        with(f, SCORES, array_of(&vec![f64(1.0); VOCAB as usize]));
    }),
    tokenizer("scores-of-texts", "The scores are texts.", SCORES, |f| {
        with(f, SCORES, strings(&vec!["1"; VOCAB as usize]));
    }),
    tokenizer("scores-a-number", "All pieces share one score.", SCORES, |f| with(f, SCORES, f32(1.0))),
    tokenizer("score-nan", "A score is not a number: there is no order of merging.", "score", |f| {
        with_score(f, f32(f32::NAN));
    }),
    tokenizer("score-nan-negative", "A score is not a number, and negative.", "score of token 261", |f| {
        with_score(f, f32(-f32::NAN));
    }),
    tokenizer("unknown-behind", "The unknown piece's id is behind the vocabulary.", "unknown", |f| {
        with(f, UNKNOWN, u32(VOCAB as u32));
    }),
    tokenizer("unknown-negative", "The unknown piece's id is -1.", UNKNOWN, |f| with(f, UNKNOWN, i32(-1))),
    tokenizer("unknown-wide", "The unknown piece's id does not fit 32 bits.", UNKNOWN, |f| {
        with(f, UNKNOWN, u64(1 << 32));
    }),
    tokenizer("pieces-bos-behind", "The first piece's id is behind the pieces.", "bos", |f| {
        with(f, "tokenizer.ggml.bos_token_id", u32(VOCAB as u32));
    }),
    tokenizer("pieces-eos-behind", "The last piece's id is the largest number.", "eos", |f| {
        with(f, "tokenizer.ggml.eos_token_id", u32(u32::MAX));
    }),
    tokenizer("byte-piece-short", "A byte's piece has no digits.", "byte", |f| {
        with_token(f, BYTES + 0x41, "<0x>");
    }),
    tokenizer("byte-piece-plain", "A byte's piece is the byte.", "byte", |f| with_token(f, BYTES + 0x41, "A")),
    tokenizer("byte-piece-megabyte", "A byte's piece is of a megabyte.", "byte", |f| {
        with_token(f, BYTES + 0x41, &"<0x41>".repeat(170_000));
    }),
    tokenizer("all-pieces-bytes", "All pieces are bytes, the special ones, too.", "byte", |f| {
        with(f, TYPES, array_of(&vec![i32(6); VOCAB as usize]));
    }),
    tokenizer("pieces-without-types", "Types are there for the special pieces only.", "type", |f| {
        with(f, TYPES, array_of(&types()[..BYTES]));
    }),
    tokenizer("space-a-number", "Whether a space goes in front is a number.", SPACE, |f| with(f, SPACE, u32(1))),
    tokenizer("space-a-text", "Whether a space goes in front is a text.", SPACE, |f| with(f, SPACE, string("true"))),
    tokenizer("space-a-list", "Whether a space goes in front is said for each piece.", SPACE, |f| {
        with(f, SPACE, array_of(&vec![bool(true); VOCAB as usize]));
    }),
    check_only("charsmap-huge", "The normalizer's table claims 4 GiB.", CHARSMAP, |f| {
        with(f, CHARSMAP, charsmap(u32::MAX));
    }),
    check_only("charsmap-one-more", "The normalizer's table claims a byte more than there is.", CHARSMAP, |f| {
        with(f, CHARSMAP, charsmap(9));
    }),
    check_only("charsmap-empty", "The normalizer has no bytes.", CHARSMAP, |f| {
        with(f, CHARSMAP, array(0, 0, []));
    }),
    check_only("charsmap-of-floats", "The normalizer is of floats.", CHARSMAP, |f| {
        with(f, CHARSMAP, array_of(&[f32(0.0), f32(1.0)]));
    }),
    check_only("charsmap-a-text", "The normalizer is a text.", CHARSMAP, |f| with(f, CHARSMAP, string("nfkc"))),
    check_only("padding-behind", "The padding's id is the largest number.", "padding_token_id", |f| {
        with(f, "tokenizer.ggml.padding_token_id", u32(u32::MAX));
    }),
    check_only("padding-negative", "The padding's id, which no command needs, is -1.", "padding_token_id", |f| {
        with(f, "tokenizer.ggml.padding_token_id", i32(-1));
    }),
];
