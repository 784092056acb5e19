//! GELU in its tanh form (Hendrycks and Gimpel, arXiv 1606.08415).

use super::exp;
use super::sigmoid::{finite, sigmoid_of};

/// 2 sqrt(2 / pi) as the sum of two f32, the first of 16 significant bits.
const LINEAR: [f32; 2] = [f32::from_bits(0x3fcc_4200), f32::from_bits(0x36a6_7a87)];
/// 0.044715 * 2 sqrt(2 / pi) as the sum of two f32.
const CUBIC: [f32; 2] = [f32::from_bits(0x3d92_2279), f32::from_bits(0x3124_d8b5)];
/// From here on, e^-u is 0 in f32.
const FLAT: f32 = 16.0;

/// `0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, within 5 ulp where the sigmoid is normal (x > -10); below that
/// within 2^-144. -0 at -inf, where x is taken to be the lowest finite number; inf at inf; NaN at NaN.
///
/// It equals `x * sigmoid(u)`, `u = 2 sqrt(2 / pi) x + 0.044715 * 2 sqrt(2 / pi) x^3`. An error in u is as large a
/// relative error in e^u, so u is computed as the sum of two f32: `exponent``(|x|)` = h + l. Then
/// `e = fma(exp(-h), -l, exp(-h))`, and the rest is as in [`silu`](super::silu).
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    let (high, low) = exponent(x.abs());
    let e = exp(-high);
    finite(x) * sigmoid_of(e.mul_add(-low, e), x)
}

/// u of `a`, not negative and at most [`FLAT`], as `h + l`, with [`LINEAR`] = b + b' and [`CUBIC`] = c + c'.
///
/// `s = a * a`, `p = fma(s, c, b)`, `h = a * p`; what their roundings lost: `s' = fma(a, a, -s)`,
/// `p' = fma(s, c', fma(s', c, fma(s, c, b - p) + b'))`, where b - p is exact because b is short, and
/// `l = fma(a, p', fma(a, p, -h))`.
#[inline(always)]
fn exponent(a: f32) -> (f32, f32) {
    // This selection lets a NaN through.
    let a = if a > FLAT { FLAT } else { a };
    let square = a * a;
    let square_low = a.mul_add(a, -square);
    let slope = square.mul_add(CUBIC[0], LINEAR[0]);
    let slope_low = square.mul_add(CUBIC[0], LINEAR[0] - slope) + LINEAR[1];
    let slope_low = square.mul_add(CUBIC[1], square_low.mul_add(CUBIC[0], slope_low));
    let high = a * slope;
    (high, a.mul_add(slope_low, a.mul_add(slope, -high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{every_nth_f32, ulps};

    /// The equation as `x / (1 + e^-u)`: `1 + tanh` would cancel. For the least x, e^-u is infinite and the result -0.
    fn exact(x: f32) -> f64 {
        let x = f64::from(x);
        let u = 2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        x / (1.0 + (-u).exp())
    }

    #[test]
    fn the_sigmoid_form_is_the_tanh_form() {
        for i in -400..=400 {
            let x = f64::from(i) / 50.0;
            let tanh = 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh());
            assert!((exact(x as f32) - tanh).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn it_is_within_its_bounds() {
        for x in every_nth_f32(2003).chain((0..1_000_000).map(|i| -12.0 + i as f32 * 2.3e-5)) {
            let (got, want) = (gelu(x), exact(x));
            if x < -10.0 {
                assert!((f64::from(got) - want).abs() < 2f64.powi(-144), "{x}: {got:e} for {want:e}");
            } else {
                assert!(ulps(got, want) < 5.0, "{x}: {} ulp", ulps(got, want));
            }
        }
    }

    #[test]
    fn special_values_are_exact() {
        assert_eq!(gelu(0.0).to_bits(), 0);
        assert_eq!(gelu(-0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(gelu(1e-30), 5e-31);
        assert_eq!(gelu(-11.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(gelu(f32::NEG_INFINITY).to_bits(), (-0.0f32).to_bits());
        assert_eq!(gelu(f32::MAX), f32::MAX);
        assert_eq!(gelu(f32::INFINITY), f32::INFINITY);
        assert!(gelu(f32::NAN).is_nan());
    }
}
