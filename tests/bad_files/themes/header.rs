//! The first 24 bytes.

use crate::kind::{Kind, all, model_only};

pub const KINDS: &[Kind] = &[
    all("empty", "The file has no bytes.", "not a GGUF file", |f| f.instead = Some(Vec::new())),
    all("one-byte", "The file ends within the magic number.", "not a GGUF file", |f| f.instead = Some(b"G".into())),
    all("magic-alone", "The file ends behind the magic number.", "header", |f| f.instead = Some(b"GGUF".into())),
    all("magic-lower", "The magic number is in lower case.", "not a GGUF file", |f| f.magic = *b"gguf"),
    all("magic-reversed", "The magic number is written big-endian.", "not a GGUF file", |f| f.magic = *b"FUGG"),
    all("magic-ggjt", "The file is of the format before GGUF.", "not a GGUF file", |f| f.magic = *b"tjgg"),
    all("web-page", "The file is a page that a server gave in its place.", "not a GGUF file", |f| {
        f.instead = Some(b"<!DOCTYPE html><html><body>404</body></html>".into());
    }),
    all("zip", "The file is a PyTorch checkpoint, a zip archive.", "not a GGUF file", |f| f.magic = *b"PK\x03\x04"),
    all("safetensors", "The file starts as a safetensors file does.", "not a GGUF file", |f| {
        f.instead =
            Some([&64u64.to_le_bytes()[..], br#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#].concat());
    }),
    all("pointer", "The file is a Git LFS pointer to the real one.", "not a GGUF file", |f| {
        f.instead = Some(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".into());
    }),
    all("cut-in-version", "The file ends within its version.", "header", |f| {
        f.instead = Some(f.bytes()[..7].into());
    }),
    all("cut-in-counts", "The file ends within its number of tensors.", "header", |f| {
        f.instead = Some(f.bytes()[..15].into());
    }),
    all("counts-alone", "The file ends behind its counts.", "header", |f| {
        f.instead = Some(f.bytes()[..24].into());
    }),
    all("version-0", "The version is 0.", "found 0", |f| f.version = 0),
    all("version-1", "The version is 1, whose counts are 32-bit numbers.", "found 1", |f| f.version = 1),
    all("version-4", "The version is a later one.", "found 4", |f| f.version = 4),
    all("version-big-endian", "The version is written big-endian.", "big-endian", |f| f.version = 3 << 24),
    all("version-max", "The version is the largest number.", "4294967295", |f| f.version = u32::MAX),
    all("tensors-negative", "The number of tensors is -1.", "tensors", |f| f.claimed_tensors = Some(u64::MAX)),
    all("tensors-wrap", "The number of tensors wraps to 0 when multiplied by 8.", "tensors", |f| {
        f.claimed_tensors = Some(1 << 61);
    }),
    all("tensors-tera", "The number of tensors asks for terabytes.", "tensors", |f| f.claimed_tensors = Some(1 << 40)),
    all("tensors-one-more", "There is one tensor less than the header says.", "tensor", |f| {
        f.claimed_tensors = Some(f.infos.len() as u64 + 1);
    }),
    model_only("tensors-one-less", "There is one tensor more than the header says.", "blk.1.ffn_down.weight", |f| {
        f.claimed_tensors = Some(f.infos.len() as u64 - 1);
    }),
    all("entries-negative", "The number of metadata entries is -1.", "entries", |f| f.claimed_entries = Some(u64::MAX)),
    all("entries-wrap", "The number of metadata entries wraps to 0 when multiplied by 8.", "entries", |f| {
        f.claimed_entries = Some(1 << 61);
    }),
    all("entries-tera", "The number of metadata entries asks for terabytes.", "entries", |f| {
        f.claimed_entries = Some(1 << 40);
    }),
    all("entries-one-more", "A tensor info is read as a metadata entry.", "tensor info 0", |f| {
        f.claimed_entries = Some(f.entries.len() as u64 + 1);
    }),
    all("entries-one-less", "A metadata entry is read as a tensor info.", "tokenizer.chat_template", |f| {
        f.claimed_entries = Some(f.entries.len() as u64 - 1);
    }),
];
