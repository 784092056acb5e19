//! AMX: products of matrices of bytes in registers of two dimensions. Sapphire Rapids and later.

mod detect;
mod scaled;
#[cfg(test)]
mod tests;
mod tiles;

pub use scaled::BLOCKS as SCALED_BLOCKS;
pub use tiles::{Sums, Tiles};

use super::Avx512;
use crate::arch::{Isa, Work};

/// The token of this tier: tiles beside the vectors of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Amx {
    vectors: Avx512,
}

impl Amx {
    /// The token, where the processor has tiles of bytes and the operating system lets this process use them.
    pub fn new() -> Option<Self> {
        let vectors = Avx512::new()?;
        detect::may_use_tiles().then_some(Self { vectors })
    }

    /// The token of the vectors.
    #[inline(always)]
    pub fn vectors(self) -> Avx512 {
        self.vectors
    }
}

impl Isa for Amx {
    const NAME: &'static str = "amx";
    const PRIORITY: i32 = 30;
    const VECTORS: usize = Avx512::VECTORS;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        self.vectors.perform(work)
    }
}
