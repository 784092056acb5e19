//! Files made byte by byte, independent of the writer: also such that no writer would make.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::Arc;

use vt_gguf::{Gguf, GgufError};

pub const F32: u32 = 0;

/// The bytes of a file, as far as they are made.
#[derive(Clone, Default)]
pub struct Raw(pub Vec<u8>);

impl Raw {
    /// A header of version 3.
    pub fn file(tensors: u64, entries: u64) -> Self {
        Raw(b"GGUF".to_vec()).u32(3).u64(tensors).u64(entries)
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn u32(self, n: u32) -> Self {
        self.bytes(&n.to_le_bytes())
    }

    pub fn u64(self, n: u64) -> Self {
        self.bytes(&n.to_le_bytes())
    }

    pub fn string(self, bytes: &[u8]) -> Self {
        self.u64(bytes.len() as u64).bytes(bytes)
    }

    /// A metadata entry.
    pub fn entry(self, key: &str, value_type: u32, value: &[u8]) -> Self {
        self.string(key.as_bytes()).u32(value_type).bytes(value)
    }

    /// A tensor info; `ne` has the fastest dimension first.
    pub fn info(self, name: &str, ne: &[u64], tensor_type: u32, offset: u64) -> Self {
        let named = self.string(name.as_bytes()).u32(ne.len() as u32);
        ne.iter().fold(named, |raw, n| raw.u64(*n)).u32(tensor_type).u64(offset)
    }

    /// Zeros up to a multiple of `alignment`.
    pub fn pad(mut self, alignment: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(alignment), 0);
        self
    }

    /// Zeros to a multiple of 32, then `n` bytes 0, 1, 2, ... of data.
    pub fn data(self, n: usize) -> Self {
        let data: Vec<u8> = (0..n).map(|i| i as u8).collect();
        self.pad(32).bytes(&data)
    }

    pub fn open(self) -> Result<Gguf, GgufError> {
        open(self.0)
    }

    /// The message of the error that opening this gives.
    pub fn refusal(self) -> String {
        match self.open() {
            Ok(_) => panic!("the file was accepted"),
            Err(error) => error.to_string(),
        }
    }
}

pub fn open(bytes: Vec<u8>) -> Result<Gguf, GgufError> {
    Gguf::from_bytes(Arc::new(bytes))
}

/// Checks each file's message: `(what, file, message without the file's name)`.
pub fn refusals(cases: impl IntoIterator<Item = (&'static str, Raw, &'static str)>) {
    for (what, file, expected) in cases {
        assert_eq!(file.refusal(), format!("(memory): {expected}"), "{what}");
    }
}

/// Splitmix64: the same numbers from the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
