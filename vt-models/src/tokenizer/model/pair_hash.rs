//! A fast hash for pairs of symbols.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`PairHasher`]s.
pub(super) type PairHash = BuildHasherDefault<PairHasher>;

/// Hashes one `u64`: a multiplication by the golden ratio whose halves are folded together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}
