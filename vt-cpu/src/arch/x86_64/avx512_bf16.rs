//! AVX-512 with dot products of bf16: Cooper Lake and Zen 4, and later.

use core::arch::x86_64::*;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use half::f16;

use super::Avx512;
use crate::arch::{Block, Isa, Portable, Work};
use crate::float::lanes::Lanes;
use crate::float::pairs::flush;

/// The token of the AVX-512 tier's instructions and `vdpbf16ps`.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Bf16 {
    wider: Avx512,
}

impl Avx512Bf16 {
    /// The token, where the processor and the operating system support the instruction, and it gives the bits of
    /// `float/pairs.rs`: known answers are compared, once.
    pub fn new() -> Option<Self> {
        static AGREES: OnceLock<bool> = OnceLock::new();
        let wider = Avx512::new().filter(|_| is_x86_feature_detected!("avx512bf16"))?;
        let token = Self { wider };
        AGREES.get_or_init(|| (0..CASES).all(|i| token.agrees(i))).then_some(token)
    }

    /// Whether the instruction adds more products in a second than the fused multiply-add that could take its place:
    /// in some processors it does, in others it takes more than twice the time of two of those. Measured once.
    pub fn is_faster(self) -> bool {
        static FASTER: OnceLock<bool> = OnceLock::new();
        *FASTER.get_or_init(|| {
            let (mut pairs, mut fused) = (u128::MAX, u128::MAX);
            for _ in 0..20 {
                pairs = pairs.min(nanoseconds(|| self.perform(Race::<true>(self))));
                fused = fused.min(nanoseconds(|| self.perform(Race::<false>(self))));
            }
            pairs < fused
        })
    }

    fn agrees(self, case: u32) -> bool {
        let [sums, a, b] = operands(case);
        let found = self.perform(Dot { isa: self, sums, a, b });
        let expected = Portable.perform(Dot { isa: Portable, sums, a, b });
        found.iter().zip(&expected).all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan())
    }
}

impl Isa for Avx512Bf16 {
    const NAME: &'static str = Avx512::NAME;
    const PRIORITY: i32 = Avx512::PRIORITY;
    const VECTORS: usize = Avx512::VECTORS;
    const PAIRS: bool = true;

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(
            enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vnni,gfni,avx512bf16"
        )]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn widen(self, halves: &[f16; 16]) -> [f32; 16] {
        self.wider.widen(halves)
    }

    #[inline(always)]
    fn add_product(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        self.wider.add_product(sums, a, b)
    }

    #[inline(always)]
    fn add_trees(self, sums: &[&Lanes; 16]) -> Lanes {
        self.wider.add_trees(sums)
    }

    #[inline(always)]
    fn dot_pairs(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        // SAFETY: the token proves that the processor has the instruction.
        unsafe { dot_pairs(sums, a, b) }
    }

    #[inline(always)]
    fn transpose(self, rows: &Block) -> Block {
        self.wider.transpose(rows)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn dot_pairs(sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let mut new = [0.0; 16];
    // SAFETY: the addresses are those of sixteen lanes each, and any bits are pairs of bf16.
    unsafe {
        let (a, b) = (_mm512_loadu_ps(a.as_ptr()), _mm512_loadu_ps(b.as_ptr()));
        let (a, b) = (std::mem::transmute::<__m512, __m512bh>(a), std::mem::transmute::<__m512, __m512bh>(b));
        _mm512_storeu_ps(new.as_mut_ptr(), _mm512_dpbf16_ps(_mm512_loadu_ps(sums.as_ptr()), a, b));
    }
    new
}

struct Dot<I> {
    isa: I,
    sums: Lanes,
    a: Lanes,
    b: Lanes,
}

impl<I: Isa> Work for Dot<I> {
    type Output = Lanes;

    #[inline(always)]
    fn run(self) -> Lanes {
        self.isa.dot_pairs(&self.sums, &self.a, &self.b)
    }
}

/// Known answers, of which each has sixteen lanes.
const CASES: u32 = 512;

/// Sums, which are never denormal, and pairs: half of the cases have any bits, so that infinities, NaNs, denormals and overflows are among them, the
/// others have products and sums of like size, every fourth about the end of the normal range.
fn operands(case: u32) -> [Lanes; 3] {
    let mut random = case.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random.rotate_left(case)
    };
    let mut operands = [[0.0; 16]; 3];
    for lane in 0..16 {
        let mut bits = [next(), next(), next()];
        if case.is_multiple_of(2) {
            let low = if case.is_multiple_of(4) { 1 } else { 100 };
            let exponent = |x: u32, least: u32| (least + x % 6) << 23;
            let half = |x: u32, least: u32| (x & 0x8000_0000 | x & 0x007f_0000 | exponent(x >> 8, least)) >> 16;
            bits[0] = bits[0] & 0x807f_ffff | exponent(bits[0] >> 3, low);
            let (odd, even) = (next(), next());
            bits[1] = half(bits[1], 60) | half(odd, 60) << 16;
            bits[2] = half(bits[2], 63 + low) | half(even, 63 + low) << 16;
        }
        for (operand, bits) in operands.iter_mut().zip(bits) {
            operand[lane] = f32::from_bits(bits);
        }
        operands[0][lane] = flush(operands[0][lane]);
    }
    if case == 0 {
        // The odd case of `pairs`: 2^-126 - 2^-150, and its neighbour 2^-126 - 2^-151.
        let power = |exponent: u32| f32::from_bits((127 - exponent) << 23);
        for (lane, factor) in [(0, power(75)), (1, power(76))] {
            operands[0][lane] = power(126);
            operands[1][lane] = -factor;
            operands[2][lane] = power(75);
        }
    }
    operands
}

/// As many products, by the instruction or by two fused multiply-adds: to so many sums in turn that it does not matter how
/// long one takes, nor whether they are in registers.
struct Race<const PAIRS: bool>(Avx512Bf16);

impl<const PAIRS: bool> Work for Race<PAIRS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (a, b) = (black_box([0.5; 16]), black_box([0.25; 16]));
        let mut sums = black_box([[1.0; 16]; 64]);
        for _ in 0..20 {
            for sum in &mut sums {
                if PAIRS {
                    *sum = self.0.dot_pairs(sum, &a, &b);
                } else {
                    *sum = self.0.add_product(sum, &a, &b);
                    *sum = self.0.add_product(sum, &a, &b);
                }
            }
        }
        black_box(sums);
    }
}

fn nanoseconds(work: impl FnOnce()) -> u128 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::lanes::multiply_add;
    use crate::float::pairs::split;

    fn bits(x: Lanes) -> [u32; 16] {
        x.map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() })
    }

    fn by_the_rule([sums, a, b]: [Lanes; 3]) -> [u32; 16] {
        bits(Portable.perform(Dot { isa: Portable, sums, a, b }))
    }

    #[test]
    fn known_answers_tell_the_rule_from_others() {
        let differ = |other: &dyn Fn([Lanes; 3]) -> Lanes| {
            (0..CASES).filter(|&i| by_the_rule(operands(i)) != bits(other(operands(i)))).count()
        };
        let fused = |[sums, a, b]: [Lanes; 3], first: usize| {
            let (a, b) = (split(&a), split(&b));
            multiply_add(&multiply_add(&sums, &a[first], &b[first]), &a[1 - first], &b[1 - first])
        };
        let flushed = |x: Lanes| x.map(flush);
        assert!(differ(&|x| fused(x, 0)) > 50, "denormal results");
        assert!(differ(&|x| flushed(fused(x, 1))) > 50, "the order of a pair");
        assert!(differ(&|x| flushed(fused(x, 0))) > 0, "one rounding");
    }

    #[test]
    fn the_odd_case_is_among_them() {
        let found = by_the_rule(operands(0));
        assert_eq!(found[..2], [0, f32::MIN_POSITIVE.to_bits()]);
    }
}
