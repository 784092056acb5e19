//! NEON with dot products of bytes: Cortex-A76, Neoverse N1, and later.

use core::arch::aarch64::*;
use core::arch::asm;

use super::Neon;
use super::quads::{Quad, Quads, Sums, one_token_a_column, quads_alike, words_by_lanes};
use crate::arch::{Isa, Words, Work};
use crate::block::RowLanes;

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Dotprod {
    _detected: (),
}

impl Dotprod {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = Neon::new().is_some() && std::arch::is_aarch64_feature_detected!("dotprod");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for Dotprod {
    const NAME: &'static str = "dotprod";
    const PRIORITY: i32 = 20;
    const VECTORS: usize = 8;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "neon,dotprod")]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }
}

impl Quads for Dotprod {
    type InPanels<W: RowLanes> = W::Folded;

    quads_alike!();
    one_token_a_column!();
    words_by_lanes!();

    #[inline(always)]
    fn arrange(self, words: [int32x4_t; 2]) -> [int32x4_t; 2] {
        words
    }

    #[inline(always)]
    fn put_words<const N: usize>(words: [i32; N], from: usize, _: usize, column: &mut [i32]) {
        column[from..][..N].copy_from_slice(&words);
    }

    #[inline(always)]
    fn add_dots<const R: usize, const T: usize>(
        self,
        sums: &Sums<int32x4_t, R, T>,
        rows: &[Quad],
        tokens: &[&[Quad]; T],
        _: usize,
    ) -> Sums<int32x4_t, R, T> {
        let mut sums = *sums;
        let (whole, half) = rows.as_chunks::<8>();
        for i in 0..whole.len() {
            let mut four_words = [self.int(0); T];
            for t in 0..T {
                four_words[t] = self.load(&tokens[t][i]);
            }
            let [first, second] = whole[i].as_chunks::<4>().0 else { unreachable!("eight registers") };
            add_word::<0, R, T>(self, &mut sums, [&first[0], &first[2]], &four_words);
            add_word::<1, R, T>(self, &mut sums, [&first[1], &first[3]], &four_words);
            add_word::<2, R, T>(self, &mut sums, [&second[0], &second[2]], &four_words);
            add_word::<3, R, T>(self, &mut sums, [&second[1], &second[3]], &four_words);
        }
        if let [a, b, c, d] = half {
            let mut two_words = [self.int(0); T];
            for t in 0..T {
                two_words[t] = self.load(&tokens[t][whole.len()]);
            }
            add_word::<0, R, T>(self, &mut sums, [a, c], &two_words);
            add_word::<1, R, T>(self, &mut sums, [b, d], &two_words);
        }
        sums
    }
}

/// Word K of each token with that of eight rows.
#[inline(always)]
fn add_word<const K: i32, const R: usize, const T: usize>(
    v: Dotprod,
    sums: &mut Sums<int32x4_t, R, T>,
    rows: [&Quad; 2],
    tokens: &[int32x4_t; T],
) {
    for r in 0..R {
        let row = v.load(rows[r]);
        for t in 0..T {
            // SAFETY: the token proves that the processor has the instruction.
            sums[t][r] = unsafe { dot_bytes::<K>(sums[t][r], row, tokens[t]) };
        }
    }
}

/// Adds the products of the four bytes of each lane of `a` with those of lane K of `b`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub(super) fn dot_bytes<const K: i32>(mut sum: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
    // SAFETY: the processor has the instruction, which reads and writes these registers only.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.4b[{k}]",
            sum = inout(vreg) sum, a = in(vreg) a, b = in(vreg) b, k = const K,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}
