//! Tokens, their types, and merges.

use crate::forge::{VOCAB, Value, array_of, i32, string, strings, tokens, u32};
use crate::kind::{Kind, both, tokenizer};

/// The types of all tokens but the spare one, which is of type `spare`.
fn types(spare: i32) -> Value {
    let mut types = vec![i32(1); VOCAB as usize];
    types[VOCAB as usize - 1] = i32(spare);
    array_of(&types)
}

/// The tokens, the spare one with this text.
fn with_spare(text: &str) -> Value {
    let mut tokens = tokens();
    tokens[VOCAB as usize - 1] = text.to_owned();
    strings(&tokens)
}

pub const KINDS: &[Kind] = &[
    tokenizer("unknown-tokenizer", "The tokenizer is of a kind that vt does not have.", "rwkv", |f| {
        f.set("tokenizer.ggml.model", string("rwkv"));
    })
    .may_be_right(),
    tokenizer("empty-tokenizer", "The tokenizer's name is empty.", "tokenizer", |f| {
        f.set("tokenizer.ggml.model", string(""));
    })
    .may_be_right(),
    tokenizer("tokenizer-a-number", "The tokenizer's name is a number.", "tokenizer.ggml.model", |f| {
        f.set("tokenizer.ggml.model", u32(2));
    }),
    tokenizer("unknown-pre", "The pre-tokenizer is one that nobody has.", "never-heard-of", |f| {
        f.set("tokenizer.ggml.pre", string("never-heard-of"));
    })
    .may_be_right(),
    tokenizer("pre-a-number", "The pre-tokenizer's name is a number.", "tokenizer.ggml.pre", |f| {
        f.set("tokenizer.ggml.pre", u32(2));
    }),
    both("tokens-none", "The list of tokens is empty.", "token", |f| {
        f.set("tokenizer.ggml.tokens", strings::<&str>(&[]))
    }),
    tokenizer("types-one-less", "One token has no type.", "type", |f| {
        f.set("tokenizer.ggml.token_type", array_of(&vec![i32(1); VOCAB as usize - 1]));
    }),
    tokenizer("types-one", "Only one token has a type.", "type", |f| {
        f.set("tokenizer.ggml.token_type", array_of(&[i32(1)]));
    }),
    tokenizer("byte-not-written", "A byte's token is not written as one.", "byte", |f| {
        f.set("tokenizer.ggml.token_type", types(6));
    }),
    tokenizer("byte-bad-digits", "A byte's token has digits that are none.", "byte", |f| {
        f.set("tokenizer.ggml.tokens", with_spare("<0xG0>"));
        f.set("tokenizer.ggml.token_type", types(6));
    }),
    tokenizer("byte-sign", "A byte's token has a sign, which number parsers accept.", "byte", |f| {
        f.set("tokenizer.ggml.tokens", with_spare("<0x+1>"));
        f.set("tokenizer.ggml.token_type", types(6));
    }),
    tokenizer("byte-three-digits", "A byte's token is larger than a byte.", "byte", |f| {
        f.set("tokenizer.ggml.tokens", with_spare("<0x100>"));
        f.set("tokenizer.ggml.token_type", types(6));
    }),
    tokenizer("byte-empty", "A byte's token has no text.", "byte", |f| {
        f.set("tokenizer.ggml.tokens", with_spare(""));
        f.set("tokenizer.ggml.token_type", types(6));
    }),
    tokenizer("merge-empty", "A merge is empty.", "merge", |f| f.set("tokenizer.ggml.merges", strings(&["h e", ""]))),
    tokenizer("merge-one-part", "A merge has one part.", "merge", |f| {
        f.set("tokenizer.ggml.merges", strings(&["h e", "ll"]));
    }),
    tokenizer("merge-no-right", "A merge's second part is empty.", "merge", |f| {
        f.set("tokenizer.ggml.merges", strings(&["h e", "ll "]));
    }),
    tokenizer("merge-space", "A merge is a single space.", "merge", |f| {
        f.set("tokenizer.ggml.merges", strings(&[" "]))
    }),
    tokenizer("merges-a-string", "The merges are one text.", "tokenizer.ggml.merges", |f| {
        f.set("tokenizer.ggml.merges", string("h e\nl l"));
    }),
];
