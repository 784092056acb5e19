//! The hyperbolic tangent, and bounds made of it.

use super::exp::{power_of_two, reduced};

/// From here on, tanh is 1 in f32.
const FLAT: f32 = 20.0;

/// tanh x within 2 ulp, denormal results too, and never above 1; both zeros as they are, -1 and 1 at -inf and inf, NaN
/// at NaN.
///
/// With y = -2 min(|x|, 20), [`exp`](super::exp) leads to m = e^r - 1 and n. Then `fma(2^n, m, 2^n - 1)` is e^y - 1
/// without cancellation and `fma(2^n, m, 2^n + 1)` is e^y + 1, each rounded once: the negated first over the second is
/// the result, with the sign of x.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    // This selection lets a NaN through.
    let a = if a > FLAT { FLAT } else { a };
    let (m, n) = reduced(-2.0 * a);
    let power = power_of_two(n);
    let (below, above) = (power.mul_add(m, power - 1.0), power.mul_add(m, power + 1.0));
    (-below / above).copysign(x)
}

/// `cap * tanh(x * (1 / cap))`, for a cap that has an inverse.
#[inline(always)]
pub fn softcap(x: f32, cap: f32) -> f32 {
    cap * tanh(x * (1.0 / cap))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{every_nth_f32, ulps};

    #[test]
    fn it_is_within_its_bound() {
        let mut worst = 0.0f64;
        for x in every_nth_f32(1009).chain((0..2_000_000).map(|i| -11.0 + i as f32 * 1.1e-5)) {
            worst = worst.max(ulps(tanh(x), f64::from(x).tanh()));
            assert!(tanh(x).abs() <= 1.0, "{x}");
        }
        assert!(worst < 2.0, "{worst} ulp");
    }

    #[test]
    fn special_values_are_exact() {
        for x in [0.0, -0.0, f32::from_bits(1), -f32::from_bits(1), 1e-40, -1e-20] {
            assert_eq!(tanh(x).to_bits(), x.to_bits(), "{x:e}");
        }
        assert_eq!((tanh(f32::INFINITY), tanh(f32::NEG_INFINITY)), (1.0, -1.0));
        assert_eq!((tanh(f32::MAX), tanh(-30.0)), (1.0, -1.0));
        assert!(tanh(f32::NAN).is_nan() && tanh(-f32::NAN).is_nan());
    }

    #[test]
    fn a_cap_is_never_exceeded() {
        for cap in [1e-30f32, 0.3, 30.0, 50.0, 1e30] {
            assert_eq!((softcap(f32::INFINITY, cap), softcap(f32::MIN, cap)), (cap, -cap));
            for i in -40..=40 {
                let x = i as f32 / 8.0 * cap;
                let exact = f64::from(cap) * (f64::from(x) / f64::from(cap)).tanh();
                assert!((f64::from(softcap(x, cap)) - exact).abs() <= 4e-7 * exact.abs(), "{x} {cap}");
            }
        }
        assert!(softcap(f32::NAN, 30.0).is_nan());
    }
}
