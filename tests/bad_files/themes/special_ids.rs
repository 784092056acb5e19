//! The ids of special tokens.

use crate::forge::{VOCAB, bool, f32, i32, string, u32, u64};
use crate::kind::{Kind, tokenizer};

pub const KINDS: &[Kind] = &[
    tokenizer("bos-one-behind", "The first token's id is one behind the last.", "bos", |f| {
        f.set("tokenizer.ggml.bos_token_id", u32(VOCAB as u32));
    }),
    tokenizer("bos-max", "The first token's id is the largest number.", "bos", |f| {
        f.set("tokenizer.ggml.bos_token_id", u32(u32::MAX));
    }),
    tokenizer("bos-negative", "The first token's id is -1.", "tokenizer.ggml.bos_token_id", |f| {
        f.set("tokenizer.ggml.bos_token_id", i32(-1));
    }),
    tokenizer("bos-wide", "The first token's id does not fit 32 bits.", "tokenizer.ggml.bos_token_id", |f| {
        f.set("tokenizer.ggml.bos_token_id", u64(1 << 32));
    }),
    tokenizer("bos-text", "The first token's id is its text.", "tokenizer.ggml.bos_token_id", |f| {
        f.set("tokenizer.ggml.bos_token_id", string("<|im_start|>"));
    }),
    tokenizer("eos-behind", "The last token's id is behind the vocabulary.", "eos", |f| {
        f.set("tokenizer.ggml.eos_token_id", u32(100_000));
    }),
    tokenizer("eos-float", "The last token's id is a float.", "tokenizer.ggml.eos_token_id", |f| {
        f.set("tokenizer.ggml.eos_token_id", f32(2.0));
    }),
    tokenizer("eot-behind", "The id of a turn's end is behind the vocabulary.", "eot", |f| {
        f.set("tokenizer.ggml.eot_token_id", u32(300));
    }),
    tokenizer("eom-behind", "The id of a message's end is behind the vocabulary.", "eom", |f| {
        f.set("tokenizer.ggml.eom_token_id", u32(300));
    }),
    tokenizer("gap-behind", "The id of a gap's start is behind the vocabulary.", "fim_pre", |f| {
        f.set("tokenizer.ggml.fim_pre_token_id", u32(300));
    }),
    tokenizer("old-gap-behind", "The same under its older key.", "300", |f| {
        f.set("tokenizer.ggml.prefix_token_id", u32(300));
    }),
    tokenizer("bos-wanted", "A first token is to be added, but there is none.", "bos", |f| {
        f.remove("tokenizer.ggml.bos_token_id");
        f.set("tokenizer.ggml.add_bos_token", bool(true));
    }),
    tokenizer("eos-wanted", "A last token is to be added, but there is none.", "eos", |f| {
        f.remove("tokenizer.ggml.eos_token_id");
        f.set("tokenizer.ggml.add_eos_token", bool(true));
    }),
];
