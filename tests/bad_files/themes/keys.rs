//! Keys that are not there.

use crate::kind::{Kind, both, model_only, tokenizer};

pub const KINDS: &[Kind] = &[
    model_only("no-architecture", "The architecture is missing.", "general.architecture", |f| {
        f.remove("general.architecture");
    }),
    model_only("no-layers", "The number of layers is missing.", "llama.block_count", |f| f.remove("llama.block_count")),
    model_only("no-context", "The context's length is missing.", "llama.context_length", |f| {
        f.remove("llama.context_length");
    }),
    model_only("no-embedding-length", "The vectors' size is missing.", "llama.embedding_length", |f| {
        f.remove("llama.embedding_length");
    }),
    model_only(
        "no-feed-forward-length",
        "The feed-forward layers' size is missing.",
        "llama.feed_forward_length",
        |f| {
            f.remove("llama.feed_forward_length");
        },
    ),
    model_only("no-heads", "The number of heads is missing.", "llama.attention.head_count", |f| {
        f.remove("llama.attention.head_count");
    }),
    model_only("no-epsilon", "The norms' epsilon is missing.", "llama.attention.layer_norm_rms_epsilon", |f| {
        f.remove("llama.attention.layer_norm_rms_epsilon");
    }),
    model_only("other-prefix", "The keys are another architecture's than the file names.", "qwen2.", |f| {
        f.set("general.architecture", crate::forge::string("qwen2"));
    }),
    both("no-metadata", "There is no metadata at all.", "is missing", |f| f.entries.clear()),
    tokenizer("no-tokenizer-model", "The tokenizer's kind is missing.", "tokenizer.ggml.model", |f| {
        f.remove("tokenizer.ggml.model");
    }),
    tokenizer("no-merges", "A tokenizer of merges has none.", "merges", |f| f.remove("tokenizer.ggml.merges")),
    tokenizer("no-tokens", "The tokens are missing.", "tokenizer.ggml.tokens", |f| f.remove("tokenizer.ggml.tokens")),
    both("no-tokens-no-table", "Neither tokens nor an embedding table tell the vocabulary's size.", "token", |f| {
        f.remove("tokenizer.ggml.tokens");
        f.remove_tensor("token_embd.weight");
    }),
];
