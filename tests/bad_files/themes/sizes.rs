//! Sizes of the model that cannot be, or contradict the tensors.

use crate::forge::{array_of, i32, u32, u64};
use crate::kind::{Kind, model_only};

pub const KINDS: &[Kind] = &[
    model_only("layers-0", "The model has no layers.", "llama.block_count", |f| f.set("llama.block_count", u32(0))),
    model_only("layers-513", "The model has more layers than is plausible.", "llama.block_count", |f| {
        f.set("llama.block_count", u32(513));
    }),
    model_only("layers-max", "The model has 4294967295 layers.", "llama.block_count", |f| {
        f.set("llama.block_count", u32(u32::MAX));
    }),
    model_only("layers-2^64", "The number of layers does not fit in a signed number.", "llama.block_count", |f| {
        f.set("llama.block_count", u64(u64::MAX));
    }),
    model_only("layers-negative", "The model has -1 layers.", "llama.block_count", |f| {
        f.set("llama.block_count", i32(-1));
    }),
    model_only("layers-more", "The file has the tensors of two layers, and states three.", "blk.2.attn_", |f| {
        f.set("llama.block_count", u32(3));
    }),
    model_only("layers-512", "The file has the tensors of two layers, and states 512.", "blk.2.attn_", |f| {
        f.set("llama.block_count", u32(512));
    }),
    model_only("layers-array", "There is a number of layers for each layer.", "llama.block_count", |f| {
        f.set("llama.block_count", array_of(&[u32(2), u32(2)]));
    }),
    model_only("embedding-0", "Vectors have no elements.", "llama.embedding_length", |f| {
        f.set("llama.embedding_length", u32(0));
    }),
    model_only("embedding-larger", "Vectors have twice the elements of the tensors' rows.", "token_embd.weight", |f| {
        f.set("llama.embedding_length", u32(64));
    }),
    model_only("embedding-odd", "Vectors are of a length that no block has.", "token_embd.weight", |f| {
        f.set("llama.embedding_length", u32(33));
    }),
    model_only("embedding-huge", "Vectors have 2^31 elements.", "llama.embedding_length", |f| {
        f.set("llama.embedding_length", u32(1 << 31));
    }),
    model_only("embedding-negative", "Vectors have -32 elements.", "llama.embedding_length", |f| {
        f.set("llama.embedding_length", i32(-32));
    }),
    model_only("context-0", "The context has no positions.", "llama.context_length", |f| {
        f.set("llama.context_length", u32(0));
    }),
    model_only(
        "context-huge",
        "The context has 2^32 - 1 positions: caches of terabytes.",
        "llama.context_length",
        |f| {
            f.set("llama.context_length", u32(u32::MAX));
        },
    ),
    model_only("context-wraps", "The context's caches have a size that wraps.", "llama.context_length", |f| {
        f.set("llama.context_length", u64(1 << 62));
    }),
    model_only("feed-forward-0", "Feed-forward layers have no elements.", "llama.feed_forward_length", |f| {
        f.set("llama.feed_forward_length", u32(0));
    }),
    model_only("feed-forward-larger", "Feed-forward layers are larger than their tensors.", "ffn_gate.weight", |f| {
        f.set("llama.feed_forward_length", u32(512));
    }),
    model_only("feed-forward-huge", "Feed-forward layers have 2^32 - 1 elements.", "llama.feed_forward_length", |f| {
        f.set("llama.feed_forward_length", u32(u32::MAX));
    }),
    model_only("feed-forward-too-few", "There is a size for one layer of two.", "llama.feed_forward_length", |f| {
        f.set("llama.feed_forward_length", array_of(&[u32(256)]));
    }),
    model_only("feed-forward-too-many", "There are sizes for three layers of two.", "llama.feed_forward_length", |f| {
        f.set("llama.feed_forward_length", array_of(&[u32(256), u32(256), u32(256)]));
    }),
    model_only(
        "feed-forward-differs",
        "One layer's size is not that of its tensors.",
        "llama.feed_forward_length",
        |f| {
            f.set("llama.feed_forward_length", array_of(&[u32(256), u32(128)]));
        },
    ),
    model_only(
        "vocabulary-smaller",
        "The embedding table has more rows than there are tokens.",
        "token_embd.weight",
        |f| {
            let mut tokens = crate::forge::tokens();
            tokens.pop();
            f.set("tokenizer.ggml.tokens", crate::forge::strings(&tokens));
        },
    ),
    model_only(
        "vocabulary-larger",
        "The embedding table has less rows than there are tokens.",
        "token_embd.weight",
        |f| {
            let mut tokens = crate::forge::tokens();
            tokens.push("one more".to_owned());
            f.set("tokenizer.ggml.tokens", crate::forge::strings(&tokens));
            f.remove("tokenizer.ggml.token_type");
        },
    ),
];
