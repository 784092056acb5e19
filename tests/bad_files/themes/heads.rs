//! Attention's heads.

use crate::forge::{array_of, i32, u32, u64};
use crate::kind::{Kind, model_only};

pub const KINDS: &[Kind] = &[
    model_only("heads-0", "There are no heads: a division by zero.", "llama.attention.head_count", |f| {
        f.set("llama.attention.head_count", u32(0));
    }),
    model_only("heads-3", "The heads do not divide a vector.", "attn_q.weight", |f| {
        f.set("llama.attention.head_count", u32(3));
        f.remove("llama.rope.dimension_count");
    }),
    model_only("heads-more-than-elements", "A head has less than one element.", "llama.attention", |f| {
        f.set("llama.attention.head_count", u32(64));
    }),
    model_only("heads-huge", "The heads' elements are more than a number holds.", "llama.attention.head_count", |f| {
        f.set("llama.attention.head_count", u64(1 << 60));
    }),
    model_only("heads-negative", "There are -2 heads.", "llama.attention.head_count", |f| {
        f.set("llama.attention.head_count", i32(-2));
    }),
    model_only("heads-differ", "The layers' numbers of heads differ.", "llama.attention.head_count", |f| {
        f.set("llama.attention.head_count", array_of(&[u32(2), u32(1)]));
    }),
    model_only("heads-none", "There is a list of heads with no entries.", "llama.attention.head_count", |f| {
        f.set("llama.attention.head_count", array_of(&[]));
    }),
    model_only(
        "kv-heads-0",
        "There are no key/value heads: a division by zero.",
        "llama.attention.head_count_kv",
        |f| {
            f.set("llama.attention.head_count_kv", u32(0));
        },
    ),
    model_only("kv-heads-one-0", "One layer has no key/value heads.", "llama.attention.head_count_kv", |f| {
        f.set("llama.attention.head_count_kv", array_of(&[u32(1), u32(0)]));
    }),
    model_only("kv-heads-more", "There are more key/value heads than heads.", "llama.attention.head_count_kv", |f| {
        f.set("llama.attention.head_count_kv", u32(4));
    }),
    model_only(
        "kv-heads-uneven",
        "The key/value heads do not divide the heads.",
        "llama.attention.head_count_kv",
        |f| {
            f.set("llama.attention.head_count", u32(4));
            f.set("llama.attention.head_count_kv", u32(3));
        },
    ),
    model_only("kv-heads-others", "There are more key/value heads than the tensors have.", "attn_k.weight", |f| {
        f.set("llama.attention.head_count_kv", u32(2));
    }),
    model_only("key-length-other", "Keys are shorter than the tensors make them.", "attn_q.weight", |f| {
        f.set("llama.attention.key_length", u32(8));
        f.remove("llama.rope.dimension_count");
    }),
    model_only("key-length-huge", "Keys have 2^28 elements.", "llama.attention.key_length", |f| {
        f.set("llama.attention.key_length", u32(1 << 28));
    }),
    model_only("value-length-other", "Values are longer than the tensors make them.", "attn_v.weight", |f| {
        f.set("llama.attention.value_length", u32(32));
    }),
    model_only(
        "value-length-huge",
        "Values have 2^27 elements, keys are as they should be.",
        "llama.attention.value_length",
        |f| {
            f.set("llama.attention.value_length", u32(1 << 27));
        },
    ),
    model_only("rotated-odd", "An odd number of elements is rotated in pairs.", "llama.rope.dimension_count", |f| {
        f.set("llama.rope.dimension_count", u32(7));
    }),
    model_only("rotated-more", "More elements are rotated than a head has.", "llama.rope.dimension_count", |f| {
        f.set("llama.rope.dimension_count", u32(18));
    }),
    model_only("rotated-huge", "2^32 - 2 elements are rotated.", "llama.rope.dimension_count", |f| {
        f.set("llama.rope.dimension_count", u32(u32::MAX - 1));
    }),
];
