//! NEON with products of matrices of bytes: Neoverse V1 and N2, Apple's M2, and later.

use core::arch::aarch64::*;
use core::arch::asm;

use super::Dotprod;
use super::dotprod::dot_bytes;
use super::quads::{Quad, Quads, Sums, quads_alike, words_by_lanes};
use crate::arch::{Isa, Words, Work};
use crate::block::RowLanes;

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct I8mm {
    _detected: (),
}

impl I8mm {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = Dotprod::new().is_some() && std::arch::is_aarch64_feature_detected!("i8mm");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for I8mm {
    const NAME: &'static str = "i8mm";
    const PRIORITY: i32 = 30;
    const VECTORS: usize = 8;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "neon,dotprod,i8mm")]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }
}

/// A register of rows has eight elements of each of two, one of tokens likewise, and one of sums the four products of
/// both: of the first row with both tokens, then of the second.
impl Quads for I8mm {
    const TOKENS: usize = 2;

    type InPanels<W: RowLanes> = W::Folded;

    quads_alike!();
    words_by_lanes!();

    #[inline(always)]
    fn arrange(self, [first, second]: [int32x4_t; 2]) -> [int32x4_t; 2] {
        // SAFETY: the token proves that the processor has the instructions.
        unsafe { [vzip1q_s32(first, second), vzip2q_s32(first, second)] }
    }

    #[inline(always)]
    fn put_words<const N: usize>(words: [i32; N], from: usize, t: usize, column: &mut [i32]) {
        let steps = column[2 * from..][..2 * N].as_chunks_mut::<2>().0;
        for (i, words) in words.as_chunks::<2>().0.iter().enumerate() {
            steps[2 * i + t % 2] = *words;
        }
    }

    #[inline(always)]
    fn store_rows(self, rows: int32x4_t, to: &mut [Quad]) {
        let [low, high] = self.arrange([rows; 2]);
        self.store(low, &mut to[0]);
        self.store(high, &mut to[1]);
    }

    #[inline(always)]
    fn tokens(self, tokens: &[i32]) -> float32x4_t {
        let [low, high] = [tokens[0] as u32, tokens[1] as u32].map(u64::from);
        // SAFETY: as above.
        unsafe { vreinterpretq_f32_u64(vdupq_n_u64(low | (high << 32))) }
    }

    #[inline(always)]
    fn load_sums<const R: usize>(self, sums: &[Quad; R]) -> [float32x4_t; R] {
        let mut column = [self.bits_to_floats(self.int(0)); R];
        for r in (0..R).step_by(2) {
            let [first, second] = self.arrange([self.load(&sums[r / 2]), self.load(&sums[(R + r) / 2])]);
            column[r] = self.bits_to_floats(first);
            column[r + 1] = self.bits_to_floats(second);
        }
        column
    }

    #[inline(always)]
    fn store_sums<const R: usize>(self, column: &[float32x4_t; R], sums: &mut [Quad; R]) {
        for r in (0..R).step_by(2) {
            // SAFETY: as above.
            let [first, second] =
                unsafe { [vuzp1q_f32(column[r], column[r + 1]), vuzp2q_f32(column[r], column[r + 1])] };
            self.store(self.bits(first), &mut sums[r / 2]);
            self.store(self.bits(second), &mut sums[(R + r) / 2]);
        }
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
        let rows = rows.as_chunks::<R>().0;
        for i in 0..rows.len() {
            let mut pairs = [self.int(0); T];
            for t in 0..T {
                pairs[t] = self.load(&tokens[t][i]);
            }
            for r in 0..R {
                let row = self.load(&rows[i][r]);
                for t in 0..T {
                    // SAFETY: as above.
                    sums[t][r] = unsafe { multiply_add(sums[t][r], row, pairs[t]) };
                }
            }
        }
        sums
    }
}

/// Adds the products of two rows of eight bytes with two others.
#[inline]
#[target_feature(enable = "neon,i8mm")]
fn multiply_add(mut sums: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
    // SAFETY: the processor has the instruction, which reads and writes these registers only.
    unsafe {
        asm!(
            "smmla {sums:v}.4s, {a:v}.16b, {b:v}.16b",
            sums = inout(vreg) sums, a = in(vreg) a, b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}
