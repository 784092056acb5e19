//! AVX-512 with VBMI, VNNI and GFNI: Ice Lake and Zen 4, and later.

mod vector;

use core::arch::x86_64::*;

use half::{bf16, f16};

use crate::arch::{Block, Isa, Work};
use crate::float::lanes::Lanes;

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Avx512 {
    _detected: (),
}

impl Avx512 {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = super::Avx2::new().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("gfni");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for Avx512 {
    const NAME: &'static str = "avx512";
    const PRIORITY: i32 = 20;
    const VECTORS: usize = 32;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(
            enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vnni,gfni"
        )]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn widen(self, halves: &[f16; 16]) -> [f32; 16] {
        // SAFETY: the token proves that the processor has the instructions.
        unsafe { widen(halves) }
    }

    #[inline(always)]
    fn add_product(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        let mut new = [0.0; 16];
        // SAFETY: as above, and the addresses are those of sixteen numbers each.
        unsafe {
            let (a, b) = (_mm512_loadu_ps(a.as_ptr()), _mm512_loadu_ps(b.as_ptr()));
            _mm512_storeu_ps(new.as_mut_ptr(), _mm512_fmadd_ps(a, b, _mm512_loadu_ps(sums.as_ptr())));
        }
        new
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
#[target_feature(enable = "avx512f")]
fn widen(halves: &[f16; 16]) -> [f32; 16] {
    let mut wide = [0.0; 16];
    // SAFETY: the addresses are those of sixteen numbers each.
    unsafe { _mm512_storeu_ps(wide.as_mut_ptr(), _mm512_cvtph_ps(_mm256_loadu_si256(halves.as_ptr().cast()))) };
    wide
}

/// The first two levels of the tree add quarters of registers, the others lanes of a quarter; of each two registers one is left.
/// Row r comes as number 4 (r mod 4) + r / 4, so that in the end the totals are in order.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_trees(sums: &[&Lanes; 16]) -> Lanes {
    let mut x = [_mm512_setzero_ps(); 16];
    for (i, x) in x.iter_mut().enumerate() {
        // SAFETY: sixteen numbers are read.
        *x = unsafe { _mm512_loadu_ps(sums[4 * (i % 4) + i / 4].as_ptr()) };
    }
    for i in 0..8 {
        let (a, b) = (x[2 * i], x[2 * i + 1]);
        x[i] = _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xee>(a, b));
    }
    for i in 0..4 {
        let (a, b) = (x[2 * i], x[2 * i + 1]);
        x[i] = _mm512_add_ps(_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
    }
    for i in 0..2 {
        let (a, b) = (x[2 * i], x[2 * i + 1]);
        x[i] = _mm512_add_ps(_mm512_shuffle_ps::<0x44>(a, b), _mm512_shuffle_ps::<0xee>(a, b));
    }
    let (a, b) = (x[0], x[1]);
    let mut totals = [0.0; 16];
    let total = _mm512_add_ps(_mm512_shuffle_ps::<0x88>(a, b), _mm512_shuffle_ps::<0xdd>(a, b));
    // SAFETY: sixteen numbers are written.
    unsafe { _mm512_storeu_ps(totals.as_mut_ptr(), total) };
    totals
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn lower(lowest: &mut [u16; 32], halves: &[bf16; 32]) {
    // SAFETY: the addresses are those of 32 numbers each.
    unsafe {
        let magnitudes = _mm512_and_si512(_mm512_loadu_si512(halves.as_ptr().cast()), _mm512_set1_epi16(i16::MAX));
        let less_one = _mm512_add_epi16(magnitudes, _mm512_set1_epi16(-1));
        let least = _mm512_min_epu16(_mm512_loadu_si512(lowest.as_ptr().cast()), less_one);
        _mm512_storeu_si512(lowest.as_mut_ptr().cast(), least);
    }
}

/// In three steps: 2 x 2 lanes, 4 x 4 lanes, and the quarters of registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: &Block) -> Block {
    let mut r = [_mm512_setzero_ps(); 16];
    for (r, row) in r.iter_mut().zip(rows) {
        // SAFETY: a row has sixteen numbers.
        *r = unsafe { _mm512_loadu_ps(row.as_ptr()) };
    }
    let mut pairs = [_mm512_setzero_ps(); 16];
    for i in (0..16).step_by(2) {
        pairs[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    // Of four rows, in each quarter: column i of that quarter.
    let mut fours = [_mm512_setzero_ps(); 16];
    for i in (0..16).step_by(4) {
        for odd in 0..2 {
            let (a, b) = (pairs[i + odd], pairs[i + 2 + odd]);
            fours[i + 2 * odd] = _mm512_shuffle_ps::<0x44>(a, b);
            fours[i + 2 * odd + 1] = _mm512_shuffle_ps::<0xee>(a, b);
        }
    }
    let mut columns = [[0.0; 16]; 16];
    for c in 0..4 {
        let [x, y, z, w] = [fours[c], fours[4 + c], fours[8 + c], fours[12 + c]];
        let low = [_mm512_shuffle_f32x4::<0x44>(x, y), _mm512_shuffle_f32x4::<0x44>(z, w)];
        let high = [_mm512_shuffle_f32x4::<0xee>(x, y), _mm512_shuffle_f32x4::<0xee>(z, w)];
        let quarters = [
            _mm512_shuffle_f32x4::<0x88>(low[0], low[1]),
            _mm512_shuffle_f32x4::<0xdd>(low[0], low[1]),
            _mm512_shuffle_f32x4::<0x88>(high[0], high[1]),
            _mm512_shuffle_f32x4::<0xdd>(high[0], high[1]),
        ];
        for (quarter, column) in quarters.into_iter().enumerate() {
            // SAFETY: a column has sixteen numbers.
            unsafe { _mm512_storeu_ps(columns[4 * quarter + c].as_mut_ptr(), column) };
        }
    }
    columns
}
