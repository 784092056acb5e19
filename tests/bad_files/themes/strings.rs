//! Keys and texts.

use crate::forge::{STRING, string};
use crate::kind::{Kind, all, model_only, tokenizer};

/// A string that claims `len` bytes and has a few.
fn claims(len: u64) -> (u32, Vec<u8>) {
    (STRING, [&len.to_le_bytes()[..], b"llama"].concat())
}

pub const KINDS: &[Kind] = &[
    all("key-empty", "A key has no letters.", "metadata", |f| f.push("", string("x"))),
    all("key-zero-byte", "A key has a zero byte, where C's strings end.", "general", |f| {
        f.push("general.name\0x", string("x"));
    }),
    all("key-not-utf8", "A key is not UTF-8.", "general", |f| f.push(b"general.\xff\xfe", string("x"))),
    all("key-too-long", "A key is a byte longer than the format allows.", "65536", |f| {
        f.push(vec![b'k'; 65536], string("x"));
    }),
    all("key-behind-end", "A key claims to go on behind the file's end.", "metadata entry 0", |f| {
        f.entries[0].key_len = Some(1 << 20);
    }),
    all("key-exabytes", "A key claims to be of 2^63 bytes.", "metadata entry 0", |f| {
        f.entries[0].key_len = Some(1 << 63);
    }),
    all("key-wraps", "A key's end wraps around to before its start.", "metadata entry 0", |f| {
        f.entries[0].key_len = Some(u64::MAX - 16);
    }),
    all("key-length-off-by-one", "A key claims a byte more than it has: its type is shifted.", "metadata", |f| {
        let entry = f.entry("llama.block_count");
        entry.key_len = Some(entry.key.len() as u64 + 1);
    }),
    all("text-behind-end", "A text claims to go on behind the file's end.", "general.architecture", |f| {
        f.set("general.architecture", claims(1 << 30));
    }),
    all("text-max", "A text claims to be as long as a number can say.", "general.architecture", |f| {
        f.set("general.architecture", claims(u64::MAX));
    }),
    all("text-wraps", "A text's end wraps around to its start.", "general.architecture", |f| {
        f.set("general.architecture", claims(u64::MAX - 7));
    }),
    all(
        "text-to-the-end",
        "A text swallows the whole rest of the file, and more entries are to come.",
        "metadata",
        |f| {
            let rest = f.bytes().len() - 24 - 8 - "general.architecture".len() - 4 - 8;
            f.set("general.architecture", claims(rest as u64 + 5));
            f.entry("general.architecture").value.truncate(8 + 5);
        },
    ),
    model_only("architecture-not-utf8", "The architecture's name is not UTF-8.", "general.architecture", |f| {
        f.set("general.architecture", string(b"ll\xffma"));
    }),
    model_only("architecture-empty", "The architecture's name is empty.", "architecture", |f| {
        f.set("general.architecture", string(""));
    })
    .may_be_right(),
    model_only("architecture-unknown", "The architecture is one that nobody has.", "never-heard-of", |f| {
        f.set("general.architecture", string("never-heard-of"));
    })
    .may_be_right(),
    model_only(
        "architecture-lines",
        "The architecture's name would break the message into lines.",
        "architecture",
        |f| {
            f.set("general.architecture", string("ll\nama\r\nerror: \x1b[31mred"));
        },
    )
    .may_be_right(),
    model_only("architecture-long", "The architecture's name is of 100,000 letters.", "architecture", |f| {
        f.set("general.architecture", string(vec![b'a'; 100_000]));
    })
    .may_be_right(),
    tokenizer("tokenizer-model-not-utf8", "The tokenizer's name is not UTF-8.", "tokenizer.ggml.model", |f| {
        f.set("tokenizer.ggml.model", string(b"gpt2\xc0"));
    }),
    tokenizer("pre-not-utf8", "The pre-tokenizer's name is not UTF-8.", "tokenizer.ggml.pre", |f| {
        f.set("tokenizer.ggml.pre", string(b"\xed\xa0\x80"));
    }),
    tokenizer("pre-long", "The pre-tokenizer's name is of 100,000 letters.", "pre", |f| {
        f.set("tokenizer.ggml.pre", string(vec![b'p'; 100_000]));
    })
    .may_be_right(),
];
