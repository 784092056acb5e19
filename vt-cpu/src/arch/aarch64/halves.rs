//! Products of bytes on [`Neon`]: their sums grow in halves of 16 bits.

use core::arch::aarch64::*;

use super::Neon;
use super::quads::{Quad, Quads, Sums, one_token_a_column, quads_alike};
use crate::arch::Words;
use crate::block::RowLanes;

/// A register of rows has two elements of each of four, and then the next two; one of a token has its two of each of those
/// four times.
impl Quads for Neon {
    const HALVES: bool = true;
    const SPREAD: usize = 4;

    /// Of products of eight bits this tier adds but one to another.
    type InPanels<W: RowLanes> = W::FoldedNarrow;

    quads_alike!();
    one_token_a_column!();

    #[inline(always)]
    fn arrange(self, words: [int32x4_t; 2]) -> [int32x4_t; 2] {
        // SAFETY: the token proves that the processor has the instructions.
        unsafe { [halves_together(words[0]), halves_together(words[1])] }
    }

    #[inline(always)]
    fn put_words<const N: usize>(words: [i32; N], from: usize, _: usize, column: &mut [i32]) {
        for (word, quad) in words.iter().zip(&mut column[4 * from..][..4 * N].as_chunks_mut::<4>().0[..N]) {
            let [low, high] = [word & 0xffff, (word >> 16) & 0xffff].map(|half| half | half << 16);
            *quad = [low, low, high, high];
        }
    }

    #[inline(always)]
    fn spread_words<const N: usize>(words: [i32; N], to: &mut [i32]) {
        for (word, copies) in words.iter().zip(&mut to.as_chunks_mut().0[..N]) {
            *copies = [*word; 4];
        }
    }

    #[inline(always)]
    fn add_words<const N: usize>(self, sum: int32x4_t, rows: [int32x4_t; N], token: &[Quad], fit: usize) -> int32x4_t {
        let mut sum = sum;
        let together = if fit < N { fit } else { N };
        for from in (0..N).step_by(together) {
            let mut halves = [self.int(0); 2];
            for k in from..from + together {
                // SAFETY: the token proves that the processor has the instructions.
                halves = unsafe { add_lanes(halves, rows[k], self.load(&token[k])) };
            }
            // SAFETY: as above.
            sum = unsafe { add_pairs(sum, halves, fit >= 2 * together) };
        }
        sum
    }

    /// Sums of products grow in halves as long as they fit, and then in lanes.
    #[inline(always)]
    fn add_dots<const R: usize, const T: usize>(
        self,
        sums: &Sums<int32x4_t, R, T>,
        rows: &[Quad],
        tokens: &[&[Quad]; T],
        fit: usize,
    ) -> Sums<int32x4_t, R, T> {
        let mut sums = *sums;
        let eights = rows.len() / (2 * R);
        let together = (fit / 4).max(1);
        for from in (0..eights).step_by(together) {
            let mut halves = [[self.int(0); R]; T];
            for eight in from..eights.min(from + together) {
                let rows = &rows[2 * R * eight..][..2 * R];
                for k in 0..2 {
                    for r in 0..R {
                        let row = self.load(&rows[2 * r + k]);
                        for t in 0..T {
                            let token = self.load(&tokens[t][2 * eight + k]);
                            // SAFETY: the token proves that the processor has the instructions.
                            unsafe { add_word(&mut sums[t][r], &mut halves[t][r], [row, token], fit) };
                        }
                    }
                }
            }
            if fit > 2 {
                for t in 0..T {
                    for r in 0..R {
                        // SAFETY: as above.
                        unsafe { add_halves_to(&mut sums[t][r], &mut halves[t][r]) };
                    }
                }
            }
        }
        sums
    }
}

/// The products of sixteen bytes, two for each half, and the halves' sums where no more fit.
#[inline]
#[target_feature(enable = "neon")]
fn add_word(sums: &mut int32x4_t, halves: &mut int32x4_t, [a, b]: [int32x4_t; 2], fit: usize) {
    let (a, b) = (vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
    let low = vmlal_s8(vreinterpretq_s16_s32(*halves), vget_low_s8(a), vget_low_s8(b));
    *halves = vreinterpretq_s32_s16(low);
    if fit == 1 {
        add_halves_to(sums, halves);
    }
    *halves = vreinterpretq_s32_s16(vmlal_high_s8(vreinterpretq_s16_s32(*halves), a, b));
    if fit <= 2 {
        add_halves_to(sums, halves);
    }
}

/// The products of sixteen bytes, one for each half.
#[inline]
#[target_feature(enable = "neon")]
fn add_lanes(halves: [int32x4_t; 2], a: int32x4_t, b: int32x4_t) -> [int32x4_t; 2] {
    let [low, high] = [vreinterpretq_s16_s32(halves[0]), vreinterpretq_s16_s32(halves[1])];
    let (a, b) = (vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
    let [low, high] = [vmlal_s8(low, vget_low_s8(a), vget_low_s8(b)), vmlal_high_s8(high, a, b)];
    [vreinterpretq_s32_s16(low), vreinterpretq_s32_s16(high)]
}

/// Adds four halves to each lane; the sums of two of them may fit a half.
#[inline]
#[target_feature(enable = "neon")]
fn add_pairs(sum: int32x4_t, halves: [int32x4_t; 2], fit: bool) -> int32x4_t {
    let [low, high] = [vreinterpretq_s16_s32(halves[0]), vreinterpretq_s16_s32(halves[1])];
    if fit {
        vpadalq_s16(sum, vpaddq_s16(low, high))
    } else {
        vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)))
    }
}

/// Adds halves to the sums of their lanes, and leaves zeros.
#[inline]
#[target_feature(enable = "neon")]
fn add_halves_to(sums: &mut int32x4_t, halves: &mut int32x4_t) {
    *sums = vpadalq_s16(*sums, vreinterpretq_s16_s32(*halves));
    *halves = vdupq_n_s32(0);
}

/// The lower halves of all lanes, then the higher ones.
#[inline]
#[target_feature(enable = "neon")]
fn halves_together(x: int32x4_t) -> int32x4_t {
    const PLACES: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
    // SAFETY: sixteen bytes are read from an array of them.
    let places = unsafe { vld1q_u8(PLACES.as_ptr()) };
    vreinterpretq_s32_u8(vqtbl1q_u8(vreinterpretq_u8_s32(x), places))
}
