//! Arrays of metadata.

use crate::forge::{ARRAY, F32, STRING, array, sized, u32};
use crate::kind::{Kind, all, both, tokenizer};

/// Arrays in arrays, `depth` of them, each of one element.
fn nested(depth: usize) -> (u32, Vec<u8>) {
    let head = [&ARRAY.to_le_bytes()[..], &1u64.to_le_bytes()].concat();
    (ARRAY, [head.repeat(depth), array(0, 1, [7]).1].concat())
}

pub const KINDS: &[Kind] = &[
    all("elements-behind-end", "An array of bytes claims more than the file has.", "types", |f| {
        f.push("types", array(0, 1 << 30, [0; 8]));
    }),
    all("elements-max", "An array claims 2^64 - 1 bytes.", "types", |f| f.push("types", array(0, u64::MAX, [0; 8]))),
    all("elements-wrap", "An array's size in bytes wraps to 0.", "types", |f| {
        f.push("types", array(4, 1 << 62, [0; 8]));
    }),
    all("elements-wrap-to-fit", "An array's size in bytes wraps to 8, which is there.", "types", |f| {
        f.push("types", array(10, (1 << 61) + 1, [0; 8]));
    }),
    all("negative-count", "An array's length is -1 as a signed number.", "types", |f| {
        f.push("types", array(F32, i64::MAX as u64 + 1, [0; 8]));
    }),
    all("strings-max", "An array claims 2^64 - 1 strings.", "texts", |f| {
        f.push("texts", array(STRING, u64::MAX, [0; 64]));
    }),
    all("strings-behind-end", "An array claims a string for every byte that is left.", "texts", |f| {
        f.push("texts", array(STRING, 40_000, [0; 64]));
    }),
    all("last-string-too-long", "The last of an array's strings goes on behind the file's end.", "texts", |f| {
        let bytes = [sized(b"a"), sized(b"b"), (1u64 << 33).to_le_bytes().into()].concat();
        f.push("texts", array(STRING, 3, bytes));
    }),
    all("string-wraps", "One of an array's strings ends, by wrapping, before it starts.", "texts", |f| {
        let bytes = [sized(b"a"), (u64::MAX - 40).to_le_bytes().into(), sized(b"b")].concat();
        f.push("texts", array(STRING, 3, bytes));
    }),
    all(
        "one-string-less",
        "An array of strings has one less than it claims: the next key is taken for it.",
        "metadata",
        |f| {
            f.push("texts", array(STRING, 3, [sized(b"a"), sized(b"b")].concat()));
            f.push("after", u32(1));
        },
    ),
    all("element-type-13", "An array's elements are of no type.", "types", |f| f.push("types", array(13, 1, [0; 8]))),
    all("element-type-of-nothing", "An empty array's elements are of no type.", "types", |f| {
        f.push("types", array(u32::MAX, 0, []));
    }),
    all("nested", "An array holds an array.", "types", |f| f.push("types", nested(1))),
    all(
        "nested-deep",
        "100,000 arrays hold one another: reading them by recursion overflows the stack.",
        "types",
        |f| {
            f.push("types", nested(100_000));
        },
    ),
    all("nested-empty", "An array of no arrays.", "types", |f| f.push("types", array(ARRAY, 0, []))),
    all("cut-in-head", "The file ends within an array's length.", "tokenizer.ggml.merges", |f| {
        f.cut_behind("tokenizer.ggml.merges", 4 + 4 + 3);
    }),
    both("tokens-of-numbers", "The tokens are numbers.", "tokenizer.ggml.tokens", |f| {
        f.set("tokenizer.ggml.tokens", array(4, 2, [0; 8]));
    }),
    tokenizer("types-of-floats", "The tokens' types are floats.", "tokenizer.ggml.token_type", |f| {
        f.set("tokenizer.ggml.token_type", array(F32, 262, [0; 4 * 262]));
    }),
    tokenizer("types-of-strings", "The tokens' types are texts.", "tokenizer.ggml.token_type", |f| {
        f.set("tokenizer.ggml.token_type", array(STRING, 262, [0; 8 * 262]));
    }),
    tokenizer("merges-of-numbers", "The merges are numbers.", "tokenizer.ggml.merges", |f| {
        f.set("tokenizer.ggml.merges", array(4, 2, [0; 8]));
    }),
];
