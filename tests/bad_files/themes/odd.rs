//! Files that look wrong and are not: what llama.cpp reads, and what nothing is lost by.

use super::granite::{self, ATTENTION, EMBEDDING, RESIDUAL};
use super::sentencepiece::{
    BYTES, LAST, SCORES, TOKENS, TYPES, scores, tokens, types, vocabulary, with, with_score, with_token,
};
use crate::forge::{File, VOCAB, Value, array, array_of, bool, f32, f64, i32, strings, u32};
use crate::kind::{Kind, odd};

/// The SentencePiece vocabulary without tokens of bytes: they are pieces that no text has.
fn without_bytes(f: &mut File) {
    let rename = |text: String| if text.starts_with("<0x") { format!("\u{fffc}{text}") } else { text };
    with(f, TOKENS, strings(&tokens().into_iter().map(rename).collect::<Vec<_>>()));
    f.set(
        TYPES,
        array_of(&types().into_iter().map(|kind| if kind == i32(6) { i32(1) } else { kind }).collect::<Vec<_>>()),
    );
}

/// A normalizer with a table of eight bytes, which this kind of vocabulary does not need.
fn charsmap() -> Value {
    array(0, 12, [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
}

pub const KINDS: &[Kind] = &[
    odd("pieces", "A SentencePiece vocabulary.", vocabulary),
    odd("scores-of-integers", "The scores are integers.", |f| {
        with(f, SCORES, array_of(&vec![i32(1); VOCAB as usize]));
    }),
    odd("scores-more", "There are more scores than pieces.", |f| {
        with(f, SCORES, array_of(&[scores(), scores()].concat()));
    }),
    odd("scores-all-0", "All scores are 0, half of them negative.", |f| {
        with(f, SCORES, array_of(&(0..VOCAB).map(|id| f32(if id % 2 == 0 { 0.0 } else { -0.0 })).collect::<Vec<_>>()));
    }),
    odd("score-infinite", "A score is infinite: its piece is merged first.", |f| with_score(f, f32(f32::INFINITY))),
    odd("score-infinite-negative", "A score is minus infinity.", |f| with_score(f, f32(f32::NEG_INFINITY))),
    odd("piece-twice", "A piece is there twice: the first counts.", |f| with_token(f, LAST, "h")),
    odd("byte-piece-twice", "A byte has two pieces.", |f| with_token(f, BYTES + 0x42, "<0x41>")),
    odd("piece-empty", "A piece is empty.", |f| with_token(f, LAST, "")),
    odd("pieces-empty", "All pieces but those of bytes are empty.", |f| {
        let empty = |text: String| if text.starts_with("<0x") { text } else { String::new() };
        with(f, TOKENS, strings(&tokens().into_iter().map(empty).collect::<Vec<_>>()));
    }),
    odd("piece-megabyte", "A piece is of a megabyte.", |f| with_token(f, LAST, &"h".repeat(1 << 20))),
    odd("piece-megabyte-of-spaces", "A piece is of a million spaces.", |f| {
        with_token(f, LAST, &"\u{2581}".repeat(1_000_000));
    }),
    odd("special-piece-megabyte", "A special piece is of a megabyte, of the letters of the text.", |f| {
        with_token(f, 2, &"hello ".repeat(170_000));
    }),
    odd("piece-with-space", "A piece has a real space.", |f| with_token(f, LAST, " h")),
    odd("bytes-none", "There are no pieces of bytes: a text has unknown pieces.", without_bytes),
    odd("bytes-none-unknown-none", "There are neither pieces of bytes nor a named unknown one.", |f| {
        without_bytes(f);
        f.remove("tokenizer.ggml.unknown_token_id");
    }),
    odd("ids-none", "No special id is named: they are those of SentencePiece.", |f| {
        vocabulary(f);
        ["bos", "eos", "unknown"].iter().for_each(|name| f.remove(&format!("tokenizer.ggml.{name}_token_id")));
    }),
    odd("ids-the-same", "All special ids are one.", |f| {
        vocabulary(f);
        ["bos", "eos", "unknown"].iter().for_each(|name| f.set(&format!("tokenizer.ggml.{name}_token_id"), u32(1)));
    }),
    odd("types-none", "The pieces have no types: bytes are known by their texts.", |f| {
        vocabulary(f);
        f.remove(TYPES);
    }),
    odd("space-prefix-none", "No space goes in front.", |f| with(f, "tokenizer.ggml.add_space_prefix", bool(false))),
    odd("charsmap", "There is a normalizer, which such a vocabulary does not use.", |f| {
        with(f, "tokenizer.ggml.precompiled_charsmap", charsmap());
    }),
    odd("embedding-scale-0", "Granite's embeddings have no scale.", |f| granite::with(f, EMBEDDING, f32(0.0))),
    odd("residual-scale-0", "Granite adds without a scale.", |f| granite::with(f, RESIDUAL, f32(0.0))),
    odd("scores-scale-0", "Granite's attention has the usual scale.", |f| granite::with(f, ATTENTION, f32(0.0))),
    odd("scores-scale-double", "Granite's attention has a scale of 64 bits.", |f| {
        granite::with(f, ATTENTION, f64(0.4));
    }),
    odd("embedding-scale-large", "Granite's embeddings have a scale near the largest number.", |f| {
        granite::with(f, EMBEDDING, f32(1e38));
    }),
];
