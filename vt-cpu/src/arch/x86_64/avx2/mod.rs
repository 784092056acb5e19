//! AVX2 with FMA and F16C: Haswell and Zen, and later.

mod vector;

use core::arch::x86_64::*;

use half::{bf16, f16};

use crate::arch::{Block, Isa, Work};
use crate::float::lanes::Lanes;

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Avx2 {
    _detected: (),
}

impl Avx2 {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for Avx2 {
    const NAME: &'static str = "avx2";
    const PRIORITY: i32 = 10;
    const VECTORS: usize = 8;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
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
        for half in [0, 8] {
            let (sums, a, b) = (&sums[half..half + 8], &a[half..half + 8], &b[half..half + 8]);
            // SAFETY: as above, and the addresses are those of eight numbers each.
            unsafe {
                let (a, b) = (_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr()));
                let sum = _mm256_fmadd_ps(a, b, _mm256_loadu_ps(sums.as_ptr()));
                _mm256_storeu_ps(new[half..half + 8].as_mut_ptr(), sum);
            }
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
#[target_feature(enable = "avx2,f16c")]
fn widen(halves: &[f16; 16]) -> [f32; 16] {
    let mut wide = [0.0; 16];
    for (halves, wide) in halves.as_chunks::<8>().0.iter().zip(wide.as_chunks_mut::<8>().0) {
        // SAFETY: the addresses are those of eight numbers each.
        unsafe { _mm256_storeu_ps(wide.as_mut_ptr(), _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()))) };
    }
    wide
}

#[inline]
#[target_feature(enable = "avx2")]
fn lower(lowest: &mut [u16; 32], halves: &[bf16; 32]) {
    for (lowest, halves) in lowest.as_chunks_mut::<16>().0.iter_mut().zip(halves.as_chunks::<16>().0) {
        // SAFETY: the addresses are those of sixteen numbers each.
        unsafe {
            let magnitudes = _mm256_and_si256(_mm256_loadu_si256(halves.as_ptr().cast()), _mm256_set1_epi16(i16::MAX));
            let less_one = _mm256_add_epi16(magnitudes, _mm256_set1_epi16(-1));
            let least = _mm256_min_epu16(_mm256_loadu_si256(lowest.as_ptr().cast()), less_one);
            _mm256_storeu_si256(lowest.as_mut_ptr().cast(), least);
        }
    }
}

/// Eight rows at a time: the first level of the tree adds registers, the second their halves, the others lanes of a half.
/// Row r comes as number 2 (r mod 4) + r / 4, so that in the end the totals are in order.
#[inline]
#[target_feature(enable = "avx2")]
fn add_trees(sums: &[&Lanes; 16]) -> Lanes {
    let mut totals = [0.0; 16];
    for (sums, totals) in sums.as_chunks::<8>().0.iter().zip(totals.as_chunks_mut::<8>().0) {
        let mut x = [_mm256_setzero_ps(); 8];
        for (i, x) in x.iter_mut().enumerate() {
            let row = sums[4 * (i % 2) + i / 2].as_ptr();
            // SAFETY: the sixteen numbers of a row are read.
            *x = unsafe { _mm256_add_ps(_mm256_loadu_ps(row), _mm256_loadu_ps(row.add(8))) };
        }
        for i in 0..4 {
            let (a, b) = (x[2 * i], x[2 * i + 1]);
            x[i] = _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b));
        }
        for i in 0..2 {
            let (a, b) = (x[2 * i], x[2 * i + 1]);
            x[i] = _mm256_add_ps(_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b));
        }
        let (a, b) = (x[0], x[1]);
        let total = _mm256_add_ps(_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xdd>(a, b));
        // SAFETY: eight numbers are written.
        unsafe { _mm256_storeu_ps(totals.as_mut_ptr(), total) };
    }
    totals
}

/// Quarter by quarter: 8 x 8 lanes in three steps, of 2 x 2 lanes, of 4 x 4, and of the halves of registers.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(rows: &Block) -> Block {
    let mut columns = [[0.0; 16]; 16];
    for (top, left) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
        let mut r = [_mm256_setzero_ps(); 8];
        for i in 0..8 {
            // SAFETY: eight numbers of a row are read.
            r[i] = unsafe { _mm256_loadu_ps(rows[top + i][left..left + 8].as_ptr()) };
        }
        let mut pairs = [_mm256_setzero_ps(); 8];
        for i in (0..8).step_by(2) {
            pairs[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
            pairs[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
        }
        // Of four rows, in each half: column i of that half.
        let mut fours = [_mm256_setzero_ps(); 8];
        for i in (0..8).step_by(4) {
            for odd in 0..2 {
                let (a, b) = (pairs[i + odd], pairs[i + 2 + odd]);
                fours[i + 2 * odd] = _mm256_shuffle_ps::<0x44>(a, b);
                fours[i + 2 * odd + 1] = _mm256_shuffle_ps::<0xee>(a, b);
            }
        }
        for i in 0..4 {
            let low = _mm256_permute2f128_ps::<0x20>(fours[i], fours[4 + i]);
            let high = _mm256_permute2f128_ps::<0x31>(fours[i], fours[4 + i]);
            // SAFETY: eight numbers of a column each are written.
            unsafe {
                _mm256_storeu_ps(columns[left + i][top..top + 8].as_mut_ptr(), low);
                _mm256_storeu_ps(columns[left + 4 + i][top..top + 8].as_mut_ptr(), high);
            }
        }
    }
    columns
}
