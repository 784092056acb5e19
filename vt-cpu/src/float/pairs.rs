//! The arithmetic of `vdpbf16ps` (Intel SDM, VDPBF16PS): sums of pairs of bf16 products without denormal numbers.
//!
//! Lane j of a chunk of 32 elements adds a[2j + 1] * b[2j + 1] and then a[2j] * b[2j], each with one rounding.
//! Denormal operands are zeros of their sign. A result is rounded to 24 bits as if exponents had no lower bound, and
//! is a zero of its sign where it then is below 2^-126. Only in one case is that not "the fused multiply-add, and zero
//! below 2^-126": a result that only the coarser rounding of denormal numbers takes up to 2^-126 is a zero.

use half::bf16;

use super::lanes::{LANES, Lanes};
use crate::arch::Isa;

/// Where `x` is denormal, a zero of its sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// [`flush`] in every lane.
#[inline(always)]
pub(super) fn flush_lanes(x: &Lanes) -> Lanes {
    let mut flushed = *x;
    for x in &mut flushed {
        *x = flush(*x);
    }
    flushed
}

/// The elements of pairs whose bits lanes hold: first the odd ones, which are the upper halves, then the even ones.
#[inline(always)]
pub(super) fn halves(pairs: &Lanes) -> [Lanes; 2] {
    let mut steps = [[0.0; LANES]; 2];
    for (l, pair) in pairs.iter().enumerate() {
        steps[0][l] = f32::from_bits(pair.to_bits() & 0xffff_0000);
        steps[1][l] = f32::from_bits(pair.to_bits() << 16);
    }
    steps
}

/// The same with denormal numbers as zeros.
#[inline(always)]
pub(crate) fn split(pairs: &Lanes) -> [Lanes; 2] {
    let [odd, even] = halves(pairs);
    [flush_lanes(&odd), flush_lanes(&even)]
}

/// One product added to a sum; no operand is denormal, `a` and `b` are bf16.
#[inline(always)]
pub(super) fn add_product(sum: f32, a: f32, b: f32) -> f32 {
    // 2^48 takes the rounding of what is near 2^-126 out of the denormal range. Nothing overflows where it decides:
    // a result of 2^-126 has a sum and a product below 2^-100, and so, as b is not denormal, an `a` below 2^27.
    const UP: f32 = (1u64 << 48) as f32;
    let x = a.mul_add(b, sum);
    let scaled = (a * UP).mul_add(b, sum * UP);
    let rounded_up = x.abs() == f32::MIN_POSITIVE && scaled.abs() < f32::MIN_POSITIVE * UP;
    if rounded_up { 0f32.copysign(x) } else { flush(x) }
}

/// [`add_product`] in every lane.
#[inline(always)]
pub(crate) fn add_products(sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let mut new = *sums;
    for ((new, a), b) in new.iter_mut().zip(a).zip(b) {
        *new = add_product(*new, *a, *b);
    }
    new
}

/// The exponent field of the smallest number but zeros, [`NO_FLOOR`] if there is none.
#[inline(always)]
pub(super) fn lowest_exponent(vectors: &[Lanes]) -> u32 {
    let mut lowest = [u32::MAX; LANES];
    for vector in vectors {
        for (lowest, x) in lowest.iter_mut().zip(vector) {
            // Less one, so that a zero is the largest number.
            *lowest = (*lowest).min((x.to_bits() & 0x7fff_ffff).wrapping_sub(1));
        }
    }
    lowest.into_iter().fold(u32::MAX, u32::min).saturating_add(1) >> 23
}

/// More than the exponent field of any number.
pub(super) const NO_FLOOR: u32 = 511;

/// The smallest of some bf16 but zeros.
#[derive(Clone, Copy)]
pub struct Floor([u16; 2 * LANES]);

impl Floor {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([u16::MAX; 2 * LANES])
    }

    /// Takes in more of them.
    #[inline(always)]
    pub(super) fn lower<I: Isa>(&mut self, isa: I, weights: &[bf16; 2 * LANES]) {
        isa.lower(&mut self.0, weights);
    }

    /// Its exponent field, 0 for a denormal number, [`NO_FLOOR`] if all are zeros.
    #[inline(always)]
    pub(super) fn exponent(&self) -> u32 {
        let lowest = self.0.into_iter().fold(u16::MAX, u16::min);
        if lowest == u16::MAX { NO_FLOOR } else { u32::from(lowest + 1) >> 7 }
    }
}

/// Whether all products of numbers with these lowest exponent fields are multiples of 2^-126, and none is denormal.
///
/// A product of two bf16 is a multiple of 2^-14 times the product of their powers of two.
#[inline(always)]
pub(super) fn products_stay_normal(weights: u32, acts: u32) -> bool {
    weights > 0 && acts > 0 && weights + acts >= 2 * 127 - 126 + 14
}

/// Whether all numbers with this lowest exponent field are multiples of 2^-126.
///
/// Fused multiply-adds do the same as [`add_product`] if no sum can come below 2^-126 other than as a zero, which is so if
/// the products and the sums that they are added to are multiples of 2^-126: all further sums are multiples then. An f32 is
/// a multiple of 2^-23 times its power of two.
#[inline(always)]
pub(super) fn sums_stay_normal(sums: u32) -> bool {
    sums >= 127 - 126 + 23
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Portable;

    #[test]
    fn denormal_results_are_zeros_of_their_sign() {
        let p = |e: i32| 2f32.powi(e);
        assert_eq!(add_product(0.0, -p(-64), p(-64)).to_bits(), (-0.0f32).to_bits());
        assert_eq!(add_product(p(-126), -p(-64), p(-64)), 0.0);
        assert_eq!(add_product(p(-125), -p(-63), p(-63)), p(-126));
        assert_eq!(add_product(f32::MAX, f32::MAX, 1.0), f32::INFINITY);
        assert!(add_product(0.0, f32::INFINITY, 0.0).is_nan());
    }

    #[test]
    fn only_the_unbounded_rounding_decides_what_is_below_the_normal_range() {
        let p = |e: i32| 2f32.powi(e);
        // 2^-126 - 2^-150 has 24 bits, and as a denormal number is a tie that goes up. The processor says 0.
        assert_eq!(add_product(p(-126), -p(-75), p(-75)), 0.0);
        assert_eq!(add_product(-p(-126), p(-75), p(-75)).to_bits(), (-0.0f32).to_bits());
        // 2^-126 - 2^-151 is a tie of the 24 bits, and goes up.
        assert_eq!(add_product(p(-126), -p(-76), p(-75)), p(-126));
        assert_eq!(add_product(p(-126), p(-76), p(-75)), p(-126));
    }

    #[test]
    fn the_lowest_exponent_passes_over_zeros() {
        let mut v = [[0.0f32; 16]; 2];
        assert_eq!(lowest_exponent(&v), NO_FLOOR);
        v[1][3] = -0.75;
        v[0][7] = f32::INFINITY;
        assert_eq!(lowest_exponent(&v), 126);
        v[0][0] = 0.5;
        v[0][1] = -f32::MIN_POSITIVE;
        assert_eq!(lowest_exponent(&v), 1);
    }

    #[test]
    fn the_lowest_bf16_passes_over_zeros() {
        let mut floor = Floor::new();
        floor.lower(Portable, &[bf16::from_bits(0x8000); 32]);
        assert_eq!(floor.exponent(), NO_FLOOR);
        let mut x = [bf16::ZERO; 32];
        for (bits, expected) in [(0x7f80, 255), (0xbf40, 126), (0x3f00, 126), (0x8080, 1), (0x0001, 0)] {
            x[7] = bf16::from_bits(bits);
            floor.lower(Portable, &x);
            assert_eq!(floor.exponent(), expected);
        }
    }

    #[test]
    fn what_stays_normal() {
        assert!(products_stay_normal(71, 71) && products_stay_normal(127, NO_FLOOR) && products_stay_normal(1, 141));
        assert!(!products_stay_normal(71, 70) && !products_stay_normal(0, 200) && !products_stay_normal(200, 0));
        assert!(sums_stay_normal(24) && sums_stay_normal(NO_FLOOR) && !sums_stay_normal(23));
    }
}
