//! NEON: every 64-bit Arm processor.

use core::arch::aarch64::*;

use half::{bf16, f16};

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
            // SAFETY: as above.
            unsafe { add_quarters(sums, rows, tokens, at) };
        }
    }

    #[inline(always)]
    fn add_two_products<const R: usize, const T: usize>(
        self,
        sums: &mut [[Lanes; T]; R],
        rows: &[[Lanes; R]; 2],
        tokens: &[[Lanes; T]; 2],
    ) {
        for at in [0, 4, 8, 12] {
            for i in 0..2 {
                // SAFETY: as above.
                unsafe { add_quarters(sums, &rows[i], &tokens[i], at) };
            }
        }
    }

    #[inline(always)]
    fn add_trees(self, sums: &[&Lanes; 16]) -> Lanes {
        // SAFETY: as above.
        unsafe { add_trees(sums) }
    }

    #[inline(always)]
    fn lower(self, lowest: &mut [u16; 32], halves: &[bf16; 32]) {
        // SAFETY: as above.
        unsafe { lower(lowest, halves) }
    }

    #[inline(always)]
    fn transpose(self, rows: &Block) -> Block {
        // SAFETY: as above.
        unsafe { transpose(rows) }
    }
}

/// A register of rows has two elements of each of four, and then the next two; one of a token has its two of each of those
/// four times.
impl Quads for Neon {
    const HALVES: bool = true;
    const SPREAD: usize = 4;

    /// Products of parts and their scales take eight bits, of which this tier adds but one to another.
    type InPanels<W: RowLanes> = W;

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
    fn add_words<const N: usize>(
        self,
        sum: int32x4_t,
        rows: [int32x4_t; N],
        token: &[Quad],
        fit: usize,
    ) -> int32x4_t {
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

/// The products of four lanes from `at` on.
#[inline]
#[target_feature(enable = "neon")]
fn add_quarters<const R: usize, const T: usize>(
    sums: &mut [[Lanes; T]; R],
    rows: &[Lanes; R],
    tokens: &[Lanes; T],
    at: usize,
) {
    for r in 0..R {
        for t in 0..T {
            let sum = vfmaq_f32(load(&sums[r][t], at), load(&rows[r], at), load(&tokens[t], at));
            store(sum, &mut sums[r][t], at);
        }
    }
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

/// All in the first eight numbers: registers are few.
#[inline]
#[target_feature(enable = "neon")]
fn lower(lowest: &mut [u16; 32], halves: &[bf16; 32]) {
    // SAFETY: the addresses are those of eight numbers each.
    unsafe {
        let mut less_one = [vdupq_n_u16(0); 4];
        for (less_one, eight) in less_one.iter_mut().zip(halves.as_chunks::<8>().0) {
            let magnitudes = vbicq_u16(vld1q_u16(eight.as_ptr().cast()), vdupq_n_u16(0x8000));
            *less_one = vaddq_u16(magnitudes, vdupq_n_u16(u16::MAX));
        }
        let [a, b, c, d] = less_one;
        let least = vminq_u16(vminq_u16(a, b), vminq_u16(c, d));
        vst1q_u16(lowest.as_mut_ptr(), vminq_u16(vld1q_u16(lowest.as_ptr()), least));
    }
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
