//! e^x, ln x, sine and cosine in f64, for angles and frequencies.

use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E, SQRT_2};

/// 1.5 * 2^52: added to a number below 2^51 it rounds that to an integer, which the low bits then hold.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// What ln 2 and pi / 2 are above their nearest f64.
const LN_2_REST: f64 = f64::from_bits(0x3c7a_bc9e_3b39_803f);
const HALF_PI_REST: f64 = f64::from_bits(0x3c91_a626_3314_5c07);

/// The coefficients 1 / 0!, 1 / 1!, ... of e^x.
const EXP: [f64; 15] = {
    let mut c = [1.0; 15];
    let mut k = 1;
    while k < 15 {
        c[k] = c[k - 1] / k as f64;
        k += 1;
    }
    c
};

/// c[0] + c[1] x + ... by Horner's rule, each step one fma.
#[inline(always)]
fn horner<const N: usize>(c: [f64; N], x: f64) -> f64 {
    let mut sum = c[N - 1];
    let mut k = N - 1;
    while k > 0 {
        k -= 1;
        sum = sum.mul_add(x, c[k]);
    }
    sum
}

/// The nearest integer to `x`, as a float and as its low bits.
#[inline(always)]
fn nearest(x: f64) -> (f64, i64) {
    let shifted = x + ROUND;
    (shifted - ROUND, (shifted.to_bits() as i64).wrapping_sub(ROUND.to_bits() as i64))
}

/// e^x for |x| <= 700, within a few ulp: `n` the nearest integer to x / ln 2, the series of e^(x - n ln 2) up to the
/// fourteenth power, times 2^n.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    let (n, bits) = nearest(x * LOG2_E);
    let r = (-n).mul_add(LN_2_REST, (-n).mul_add(LN_2, x));
    horner(EXP, r) * f64::from_bits((bits.wrapping_add(1023) as u64) << 52)
}

/// ln x for normal x > 0, within a few ulp of the larger of 1 and |ln x|.
///
/// x = m * 2^n with m in [sqrt(1/2), sqrt(2)); with f = (m - 1) / (m + 1), ln m = 2 (f + f^3 / 3 + f^5 / 5 + ...) up to
/// the 23rd power.
#[inline(always)]
pub fn ln_f64(x: f64) -> f64 {
    const ATANH: [f64; 12] = {
        let mut c = [1.0; 12];
        let mut k = 0;
        while k < 12 {
            c[k] = 2.0 / (2 * k + 1) as f64;
            k += 1;
        }
        c
    };
    let n = (x.to_bits() >> 52) as i64 - 1023;
    let m = f64::from_bits(x.to_bits() & 0x000f_ffff_ffff_ffff | 1023 << 52);
    let (m, n) = if m >= SQRT_2 { (m / 2.0, n + 1) } else { (m, n) };
    let f = (m - 1.0) / (m + 1.0);
    (n as f64).mul_add(LN_2, (n as f64).mul_add(LN_2_REST, f * horner(ATANH, f * f)))
}

/// The sine and cosine of `x` for |x| <= 2^30: within 1e-15, and relatively too where a value is small.
///
/// `n` is the nearest integer to 2x / pi, `r = fma(-n, l, fma(-n, h, x))` with pi / 2 = h + l, then the Taylor series
/// up to r^17 and r^16; the quadrant n mod 4 says which is which, and the signs.
#[inline(always)]
pub fn sin_cos_f64(x: f64) -> (f64, f64) {
    let (n, quadrant) = nearest(x * FRAC_2_PI);
    let r = (-n).mul_add(HALF_PI_REST, (-n).mul_add(std::f64::consts::FRAC_PI_2, x));
    let (sin, cos) = (r * horner(alternating(1), r * r), horner(alternating(0), r * r));
    let (sin, cos) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    (negate_if(quadrant & 2 != 0, sin), negate_if((quadrant + 1) & 2 != 0, cos))
}

#[inline(always)]
fn negate_if(condition: bool, x: f64) -> f64 {
    if condition { -x } else { x }
}

/// 1 / first!, -1 / (first + 2)!, 1 / (first + 4)!, ...
const fn alternating(first: usize) -> [f64; 9] {
    let mut c = [1.0; 9];
    let mut k = 1;
    while k < 9 {
        let n = first + 2 * k;
        c[k] = -c[k - 1] / (n * (n - 1)) as f64;
        k += 1;
    }
    c
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, PI};

    use super::*;

    #[test]
    fn exp_and_ln_agree_with_std() {
        for i in -7000..7000 {
            let x = f64::from(i) * 0.0987;
            assert!((exp_f64(x) / x.exp() - 1.0).abs() < 1e-15, "{x}");
        }
        for i in 1..20_000 {
            let x = f64::from(i).powi(3) * 1.37e-7;
            assert!((ln_f64(x) - x.ln()).abs() < 4e-16 * x.ln().abs().max(1.0), "{x}");
        }
        assert_eq!((exp_f64(0.0), ln_f64(1.0)), (1.0, 0.0));
    }

    /// Reduced with pi to 60 digits, in decimal arithmetic.
    #[test]
    fn sine_and_cosine_agree_with_high_precision_values() {
        for (x, sin, cos) in VECTORS {
            let got = sin_cos_f64(x);
            assert!((got.0 - sin).abs() < 2e-16 && (got.1 - cos).abs() < 2e-16, "{x}: {got:?}");
            for (got, want) in [(got.0, sin), (got.1, cos)] {
                assert!((got / want - 1.0).abs() < 1e-9, "{x}: {got} {want}");
            }
        }
        assert_eq!(sin_cos_f64(0.0), (0.0, 1.0));
    }

    #[test]
    fn sine_and_cosine_agree_with_std_over_the_range() {
        for i in 0..400_000 {
            let x = f64::from(i) * 2.618_033;
            let (sin, cos) = sin_cos_f64(x);
            assert!((sin - x.sin()).abs() < 3e-16 && (cos - x.cos()).abs() < 3e-16, "{x}");
        }
    }

    const VECTORS: [(f64, f64, f64); 12] = [
        (1.0, 0.8414709848078965, 0.5403023058681398),
        (FRAC_PI_4, FRAC_1_SQRT_2 - 1.1e-16, FRAC_1_SQRT_2),
        (PI, 1.2246467991473532e-16, -1.0),
        (FRAC_PI_2, 1.0, 6.123233995736766e-17),
        (-2.5, -0.5984721441039565, -0.8011436155469337),
        (10.0, -0.5440211108893698, -0.8390715290764524),
        (355.0, -3.014435335948845e-05, -0.999999999545659),
        (103993.0, -1.9129335778423752e-05, 0.9999999998170342),
        (1048575.0, -0.6156211730587509, 0.7880422395289275),
        (1048576.5, 0.7425208640927718, 0.669822936593637),
        (-1042148.75, -0.7071047368323377, 0.7071088255348469),
        (1073741824.0, -0.6173264150460421, 0.7867071229411882),
    ];
}
