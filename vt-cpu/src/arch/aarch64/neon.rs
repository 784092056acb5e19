//! NEON: every 64-bit Arm processor.

use core::arch::aarch64::*;

use half::f16;

use super::quads::{Quad, Quads, Sums, one_token_a_column, quads_alike};
use crate::arch::{Block, Isa, Words, Work};
use crate::block::RowLanes;
use crate::float::lanes::Lanes;

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Neon {
    _detected: (),
}

impl Neon {
    /// The token.
    pub fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self { _detected: () })
    }
}

impl Isa for Neon {
    const NAME: &'static str = "neon";
    const PRIORITY: i32 = 10;
    const VECTORS: usize = 8;
    const LOADS_FIRST: bool = true;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "neon")]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the token can only be made by `new`, which detected the feature.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn widen(self, halves: &[f16; 16]) -> [f32; 16] {
        // SAFETY: the token proves that the processor has the instructions.
        unsafe { widen(halves) }
    }

    #[inline(always)]
    fn add_product(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        // SAFETY: as above.
        unsafe { add_product(sums, a, b) }
    }

    /// A quarter of all vectors after the other: all rows and tokens at once would not stay in registers.
    #[inline(always)]
    fn add_products<const R: usize, const T: usize>(
        self,
        sums: &mut [[Lanes; T]; R],
        rows: &[Lanes; R],
        tokens: &[Lanes; T],
    ) {
        for at in [0, 4, 8, 12] {
            for r in 0..R {
                for t in 0..T {
                    // SAFETY: as above.
                    unsafe {
                        let sum = vfmaq_f32(load(&sums[r][t], at), load(&rows[r], at), load(&tokens[t], at));
                        store(sum, &mut sums[r][t], at);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn add_trees(self, sums: &[&Lanes; 16]) -> Lanes {
        // SAFETY: as above.
        unsafe { add_trees(sums) }
    }

    #[inline(always)]
    fn transpose(self, rows: &Block) -> Block {
        // SAFETY: as above.
        unsafe { transpose(rows) }
    }
}

impl Quads for Neon {
    /// Products of parts and their scales take eight bits, of which this tier adds but one to another.
    type InPanels<W: RowLanes> = W;

    quads_alike!();
    one_token_a_column!();

    /// Sums of products grow in halves as long as they fit, and then as pairs in lanes.
    #[inline(always)]
    fn add_dots<const R: usize, const T: usize>(
        self,
        sums: &Sums<int32x4_t, R, T>,
        rows: &[Quad],
        tokens: &[&[Quad]; T],
        most: usize,
    ) -> Sums<int32x4_t, R, T> {
        let words = rows.len() / R;
        let mut pairs = [[[self.int(0); 2]; R]; T];
        for from in (0..words).step_by(words_in_halves(most)) {
            let mut halves = [[[self.int(0); 2]; R]; T];
            for word in from..words.min(from + words_in_halves(most)) {
                for r in 0..R {
                    let row = &rows[2 * R * (word / 2) + 2 * r + word % 2];
                    for t in 0..T {
                        let token = tokens[t][word / 4][word % 4];
                        // SAFETY: the token proves that the processor has the instructions.
                        halves[t][r] = unsafe { add_to_halves(halves[t][r], row, token, word == from) };
                    }
                }
            }
            for t in 0..T {
                for r in 0..R {
                    // SAFETY: as above.
                    pairs[t][r] = unsafe { add_to_pairs(pairs[t][r], halves[t][r], from == 0) };
                }
            }
        }
        let mut sums = *sums;
        for t in 0..T {
            for r in 0..R {
                // SAFETY: as above.
                sums[t][r] = unsafe { vaddq_s32(sums[t][r], vpaddq_s32(pairs[t][r][0], pairs[t][r][1])) };
            }
        }
        sums
    }
}

/// How many words' products halves can sum, each below 128 times `most`: a power of two, at most eight.
const fn words_in_halves(most: usize) -> usize {
    let words = i16::MAX as usize / (128 * most);
    if words >= 8 { 8 } else { 1 << (if words > 1 { words.ilog2() } else { 0 }) }
}

/// The products of sixteen bytes with four, added to sixteen halves, or the first of them. The bytes are loaded by eight: the
/// compiler would take registers of sixteen apart.
#[inline]
#[target_feature(enable = "neon")]
fn add_to_halves(sums: [int32x4_t; 2], a: &Quad, b: i32, first: bool) -> [int32x4_t; 2] {
    let ([low, high], b) = (a.as_chunks::<2>().0, vreinterpret_s8_s32(vdup_n_s32(b))) else {
        unreachable!("two halves")
    };
    // SAFETY: the addresses are those of eight bytes each.
    let [low, high] = unsafe { [vld1_s32(low.as_ptr()), vld1_s32(high.as_ptr())] };
    let [low, high] = [vreinterpret_s8_s32(low), vreinterpret_s8_s32(high)];
    let [low, high] = if first {
        [vmull_s8(low, b), vmull_s8(high, b)]
    } else {
        [vmlal_s8(vreinterpretq_s16_s32(sums[0]), low, b), vmlal_s8(vreinterpretq_s16_s32(sums[1]), high, b)]
    };
    [vreinterpretq_s32_s16(low), vreinterpretq_s32_s16(high)]
}

/// Neighbouring halves, added to lanes, or the first of them.
#[inline]
#[target_feature(enable = "neon")]
fn add_to_pairs(sums: [int32x4_t; 2], halves: [int32x4_t; 2], first: bool) -> [int32x4_t; 2] {
    let [low, high] = [vreinterpretq_s16_s32(halves[0]), vreinterpretq_s16_s32(halves[1])];
    if first { [vpaddlq_s16(low), vpaddlq_s16(high)] } else { [vpadalq_s16(sums[0], low), vpadalq_s16(sums[1], high)] }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(x: &[f32], at: usize) -> float32x4_t {
    // SAFETY: the slice's bounds are checked.
    unsafe { vld1q_f32(x[at..at + 4].as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(x: float32x4_t, to: &mut [f32], at: usize) {
    // SAFETY: the slice's bounds are checked.
    unsafe { vst1q_f32(to[at..at + 4].as_mut_ptr(), x) }
}

#[inline]
#[target_feature(enable = "neon")]
fn widen(halves: &[f16; 16]) -> [f32; 16] {
    let mut wide = [0.0; 16];
    for (i, halves) in halves.as_chunks::<4>().0.iter().enumerate() {
        // SAFETY: the address is that of four numbers.
        let halves = unsafe { vld1_u16(halves.as_ptr().cast()) };
        store(vcvt_f32_f16(vreinterpret_f16_u16(halves)), &mut wide, 4 * i);
    }
    wide
}

#[inline]
#[target_feature(enable = "neon")]
fn add_product(sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let mut new = [0.0; 16];
    for at in [0, 4, 8, 12] {
        store(vfmaq_f32(load(sums, at), load(a, at), load(b, at)), &mut new, at);
    }
    new
}

/// Four rows at a time: two levels of the tree add registers, the third their halves, the fourth neighbours.
#[inline]
#[target_feature(enable = "neon")]
fn add_trees(sums: &[&Lanes; 16]) -> Lanes {
    let mut totals = [0.0; 16];
    for (four, sums) in sums.as_chunks::<4>().0.iter().enumerate() {
        let mut x = [vdupq_n_f32(0.0); 4];
        for (x, row) in x.iter_mut().zip(sums) {
            let even = vaddq_f32(load(*row, 0), load(*row, 8));
            *x = vaddq_f32(even, vaddq_f32(load(*row, 4), load(*row, 12)));
        }
        let [a, b] = [add_halves(x[0], x[1]), add_halves(x[2], x[3])];
        store(vaddq_f32(vuzp1q_f32(a, b), vuzp2q_f32(a, b)), &mut totals, 4 * four);
    }
    totals
}

/// The sums of the halves of both.
#[inline]
#[target_feature(enable = "neon")]
fn add_halves(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    let (a, b) = (vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b));
    vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(a, b)), vreinterpretq_f32_f64(vzip2q_f64(a, b)))
}

/// In squares of 4 x 4 lanes.
#[inline]
#[target_feature(enable = "neon")]
fn transpose(rows: &Block) -> Block {
    let mut columns = [[0.0; 16]; 16];
    for top in [0, 4, 8, 12] {
        for left in [0, 4, 8, 12] {
            let mut r = [vdupq_n_f32(0.0); 4];
            for (i, r) in r.iter_mut().enumerate() {
                *r = load(&rows[top + i], left);
            }
            let r = transpose_square(r);
            for (i, r) in r.into_iter().enumerate() {
                store(r, &mut columns[left + i], top);
            }
        }
    }
    columns
}

/// Four rows of four lanes become columns.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn transpose_square(r: [float32x4_t; 4]) -> [float32x4_t; 4] {
    let [a, b] = [vreinterpretq_f64_f32(vtrn1q_f32(r[0], r[1])), vreinterpretq_f64_f32(vtrn1q_f32(r[2], r[3]))];
    let [c, d] = [vreinterpretq_f64_f32(vtrn2q_f32(r[0], r[1])), vreinterpretq_f64_f32(vtrn2q_f32(r[2], r[3]))];
    [
        vreinterpretq_f32_f64(vzip1q_f64(a, b)),
        vreinterpretq_f32_f64(vzip1q_f64(c, d)),
        vreinterpretq_f32_f64(vzip2q_f64(a, b)),
        vreinterpretq_f32_f64(vzip2q_f64(c, d)),
    ]
}
