//! The logistic function, and SiLU (Hendrycks and Gimpel, arXiv 1606.08415; Ramachandran et al., arXiv 1710.05941).

use super::exp;

/// 1 / (1 + e^-x) within 3 ulp; 0 at -inf, 1 at inf, NaN at NaN. Results are denormal where the value is.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    sigmoid_of(exp(-x.abs()), x)
}

/// 1 / (1 + e^-y) of `e = exp(-|y|)` and a number of y's sign: `1 / (1 + e)`, for a negative one `e / (1 + e)`.
#[inline(always)]
pub(super) fn sigmoid_of(e: f32, sign: f32) -> f32 {
    let numerator = if sign < 0.0 { e } else { 1.0 };
    numerator / (1.0 + e)
}

/// x / (1 + e^-x) = `x * sigmoid(x)`, within 4 ulp where the sigmoid is normal (x > -87); below that within 2^-142.
/// -0 at -inf, where x is taken to be the lowest finite number; inf at inf; NaN at NaN.
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    finite(x) * sigmoid(x)
}

/// x, but the lowest finite number for -inf, whose product with a sigmoid is then -0.
#[inline(always)]
pub(super) fn finite(x: f32) -> f32 {
    if x < f32::MIN { f32::MIN } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{every_nth_f32, ulps};

    fn exact_sigmoid(x: f32) -> f64 {
        let x = f64::from(x);
        if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }
    }

    fn inputs() -> impl Iterator<Item = f32> {
        every_nth_f32(2003).chain((0..1_000_000).map(|i| -110.0 + i as f32 * 1.37e-4))
    }

    #[test]
    fn sigmoid_is_within_three_ulp() {
        let worst = inputs().map(|x| ulps(sigmoid(x), exact_sigmoid(x))).fold(0.0, f64::max);
        assert!(worst < 3.0, "{worst} ulp");
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(sigmoid(f32::INFINITY), 1.0);
        assert!(sigmoid(f32::NAN).is_nan());
    }

    #[test]
    fn silu_is_within_its_bounds() {
        for x in inputs() {
            let (got, want) = (silu(x), f64::from(x) * exact_sigmoid(x));
            if x < -87.0 {
                assert!((f64::from(got) - want).abs() < 2f64.powi(-142), "{x}");
            } else {
                assert!(ulps(got, want) < 4.0, "{x}");
            }
        }
        assert_eq!(silu(-0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(silu(f32::NEG_INFINITY).to_bits(), (-0.0f32).to_bits());
        assert_eq!(silu(f32::INFINITY), f32::INFINITY);
        assert!(silu(f32::NAN).is_nan());
    }
}
