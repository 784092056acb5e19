//! NEON: every 64-bit Arm processor.

use core::arch::aarch64::*;

use half::{bf16, f16};

use crate::arch::{Block, Isa, Work};
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
