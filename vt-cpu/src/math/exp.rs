//! e^x in f32.

/// Below this, e^x rounds to 0.
const LOWEST: f32 = -104.0;
/// Above this, e^x is infinite.
const HIGHEST: f32 = 89.0;
/// 1.5 * 2^23: added to a number below 2^22 it rounds that to an integer, which the low bits then hold.
const ROUND: f32 = 12_582_912.0;
/// ln 2 as the sum of two f32.
const LN2: [f32; 2] = [f32::from_bits(0x3f31_7218), f32::from_bits(0xb102_e308)];
/// (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2, lowest power first: the least largest relative error of e^r, 5.3e-11
/// before the coefficients were rounded to f32.
const POLY: [f32; 6] = [
    f32::from_bits(0x3f00_0000),
    f32::from_bits(0x3e2a_aaaa),
    f32::from_bits(0x3d2a_aa46),
    f32::from_bits(0x3c08_893a),
    f32::from_bits(0x3ab6_c73e),
    f32::from_bits(0x394f_83b8),
];

/// e^x within 1 ulp, denormal results too; 0 at -inf and below -103.98, inf above 88.73, NaN at NaN, exactly 1 at 0.
///
/// x is first confined to [-104, 89]. `n = (fma(x, log2(e), R) - R)` with R = 1.5 * 2^23 is the nearest integer to
/// x / ln 2; `r = fma(-n, l, fma(-n, h, x))` with ln 2 = h + l; `q` is a polynomial by Horner's rule, each step one fma;
/// `p = fma(r * r, q, r) + 1`; the result is `(p * 2^(n div 2)) * 2^(n - n div 2)`, of which only the last product
/// rounds (div rounds down).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (less_one, n) = reduced(x);
    let half = n >> 1;
    (less_one + 1.0) * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `fma(r * r, q, r)`, which is e^r - 1, and n, as [`exp`] has them.
#[inline(always)]
pub(super) fn reduced(x: f32) -> (f32, i32) {
    // These selections let a NaN through.
    let x = if x < LOWEST { LOWEST } else { x };
    let x = if x > HIGHEST { HIGHEST } else { x };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LN2[1], (-n).mul_add(LN2[0], x));
    let mut q = POLY[5];
    q = q.mul_add(r, POLY[4]);
    q = q.mul_add(r, POLY[3]);
    q = q.mul_add(r, POLY[2]);
    q = q.mul_add(r, POLY[1]);
    q = q.mul_add(r, POLY[0]);
    ((r * r).mul_add(q, r), (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32))
}

/// 2^n for n in -126..=127; anything else for the n that a NaN leads to.
#[inline(always)]
pub(super) fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{every_nth_f32, ulps};

    #[test]
    fn it_is_within_one_ulp_everywhere() {
        let mut worst = 0.0f64;
        for x in every_nth_f32(1009) {
            worst = worst.max(ulps(exp(x), f64::from(x).exp()));
        }
        for i in 0..2_000_000 {
            let x = -104.5 + i as f32 * 9.7e-5;
            worst = worst.max(ulps(exp(x), f64::from(x).exp()));
        }
        assert!(worst < 1.0, "{worst} ulp");
    }

    #[test]
    fn special_values_are_exact() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(exp(-103.98).to_bits(), 0);
        assert_eq!(exp(-103.97).to_bits(), 1);
        assert_eq!(exp(88.73), f32::INFINITY);
        assert!(exp(88.72).is_finite());
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
    }
}
