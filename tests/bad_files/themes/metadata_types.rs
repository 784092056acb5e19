//! The types of metadata values.

use crate::forge::{ARRAY, F64, array, f32, string, u32};
use crate::kind::{Kind, all, both, model_only, tokenizer};

pub const KINDS: &[Kind] = &[
    all("type-13", "A value has the first number that is no type.", "llama.block_count", |f| {
        f.entry("llama.block_count").kind = 13;
    }),
    all("type-256", "A value's type is one of the format's in its lowest byte only.", "llama.block_count", |f| {
        f.entry("llama.block_count").kind = 256 + 4;
    }),
    all("type-max", "A value's type is the largest number.", "llama.block_count", |f| {
        f.entry("llama.block_count").kind = u32::MAX;
    }),
    all(
        "wider-than-written",
        "A value of four bytes is stated as one of eight: all behind it is shifted.",
        "metadata",
        |f| {
            f.entry("llama.block_count").kind = F64;
        },
    ),
    all(
        "number-as-array",
        "A number is stated as an array: its bytes are the elements' type.",
        "metadata entry 3",
        |f| {
            f.entry("llama.block_count").kind = ARRAY;
        },
    ),
    all("cut-in-value", "The file ends within a number.", "llama.block_count", |f| {
        f.cut_behind("llama.block_count", 4 + 2)
    }),
    all("cut-in-type", "The file ends within a value's type.", "llama.block_count", |f| {
        f.cut_behind("llama.block_count", 3);
    }),
    both("architecture-a-number", "The architecture is a number.", "general.architecture", |f| {
        f.set("general.architecture", u32(7));
    }),
    both("architecture-an-array", "The architecture is an array of bytes.", "general.architecture", |f| {
        f.set("general.architecture", array(0, 5, b"llama"));
    }),
    model_only("size-a-string", "A size is written as text.", "llama.embedding_length", |f| {
        f.set("llama.embedding_length", string("32"));
    }),
    model_only("size-a-float", "A size is a float.", "llama.context_length", |f| {
        f.set("llama.context_length", f32(64.0))
    }),
    model_only("epsilon-an-integer", "The epsilon is an integer.", "layer_norm_rms_epsilon", |f| {
        f.set("llama.attention.layer_norm_rms_epsilon", u32(1));
    }),
    tokenizer("flag-a-number", "A switch is a number.", "tokenizer.ggml.add_bos_token", |f| {
        f.set("tokenizer.ggml.add_bos_token", u32(1));
    }),
    both("tokens-a-string", "The tokens are one string.", "tokenizer.ggml.tokens", |f| {
        f.set("tokenizer.ggml.tokens", string("abc"));
    }),
];
