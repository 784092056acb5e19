//! What is there twice.

use crate::forge::{string, u32};
use crate::kind::{Kind, all};

pub const KINDS: &[Kind] = &[
    all("key-twice", "A key is there twice, with different values.", "llama.block_count", |f| {
        f.push("llama.block_count", u32(1));
    }),
    all("entry-twice", "An entry is there twice.", "llama.block_count", |f| f.push("llama.block_count", u32(2))),
    all("architecture-twice", "The file names two architectures.", "general.architecture", |f| {
        f.push("general.architecture", string("qwen2"));
    }),
    all("alignment-twice", "The file has two alignments.", "general.alignment", |f| {
        f.push("general.alignment", u32(64))
    }),
    all("unknown-key-twice", "A key that nobody reads is there twice.", "a.key", |f| {
        f.push("a.key", u32(1));
        f.push("a.key", string("x"));
    }),
    all("tensor-twice", "A tensor is there twice, at different places.", "output_norm.weight", |f| {
        f.add("output_norm.weight", &[32], 0, &[0; 128]);
    }),
    all("info-twice", "A tensor info is there twice.", "output_norm.weight", |f| {
        let info = f.info("output_norm.weight").clone();
        f.infos.push(info);
    }),
    all("empty-tensor-twice", "A tensor without bytes is there twice.", "empty", |f| {
        f.add("empty", &[0], 0, &[]);
        f.add("empty", &[0], 0, &[]);
    }),
];
