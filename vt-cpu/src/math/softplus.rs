//! The smooth ramp ln(1 + e^x).

use super::exp;

/// 1 / (2 i + 1): the series of artanh(s) / s in s^2, whose first missing term is below 2^-29 of the sum for s up to 1/3.
const ARTANH: [f32; 8] = [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// ln(1 + e^x) within 4 ulp; 0 at -inf, inf at inf, NaN at NaN. Results are denormal where the value is.
///
/// `e = exp(-|x|)`, `s = e / (2 + e)`; the sum of s^(2i) / (2i + 1) by Horner's rule in `s * s`, each step one fma, is p;
/// `l = (s + s) * p` is ln(1 + e), and the result `max(x, 0) + l`.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    let e = exp(-x.abs());
    let s = e / (2.0 + e);
    let square = s * s;
    let mut p = ARTANH[7];
    p = p.mul_add(square, ARTANH[6]);
    p = p.mul_add(square, ARTANH[5]);
    p = p.mul_add(square, ARTANH[4]);
    p = p.mul_add(square, ARTANH[3]);
    p = p.mul_add(square, ARTANH[2]);
    p = p.mul_add(square, ARTANH[1]);
    p = p.mul_add(square, ARTANH[0]);
    // This selection lets a NaN through.
    let ramp = if x < 0.0 { 0.0 } else { x };
    ramp + (s + s) * p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{every_nth_f32, ulps};

    fn exact(x: f32) -> f64 {
        let x = f64::from(x);
        x.max(0.0) + (-x.abs()).exp().ln_1p()
    }

    #[test]
    fn it_is_within_four_ulp() {
        let inputs = every_nth_f32(2003).chain((0..1_000_000).map(|i| -104.0 + i as f32 * 1.37e-4));
        let worst = inputs.map(|x| ulps(softplus(x), exact(x))).fold(0.0, f64::max);
        assert!(worst < 4.0, "{worst} ulp");
    }

    #[test]
    fn special_values_are_exact() {
        assert_eq!(softplus(0.0), std::f32::consts::LN_2);
        assert_eq!(softplus(-0.0), std::f32::consts::LN_2);
        assert_eq!(softplus(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(softplus(f32::INFINITY), f32::INFINITY);
        assert_eq!(softplus(30.0), 30.0);
        assert_eq!(softplus(f32::MAX), f32::MAX);
        assert!(softplus(f32::NAN).is_nan());
    }
}
