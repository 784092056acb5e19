//! An exponential that is the same on every machine.

use std::f64::consts::LOG2_E;

/// ln 2 in two parts; the first has so few digits that its product with an exponent is exact.
pub(super) const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
pub(super) const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

/// 1.5 times 2^52: a number of up to 50 bits that it is added to loses its fraction, rounded to nearest.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// 1 / n! for n from 0.
const TAYLOR: [f64; 14] = taylor();

const fn taylor() -> [f64; 14] {
    let mut coefficients = [1.0; 14];
    let (mut n, mut factorial) = (1, 1_u64);
    while n < coefficients.len() {
        factorial *= n as u64;
        coefficients[n] = 1.0 / factorial as f64;
        n += 1;
    }
    coefficients
}

/// Below this the result is 0; it would be less than the smallest normal number.
const LOWEST: f64 = -708.0;

/// e^x for x at most 0, to about one unit in the last place. x = k ln 2 + r with |r| at most ln 2 / 2, then 2^k times
/// the Taylor polynomial of degree 13 at r by Horner's rule: additions and multiplications that are rounded one by one.
pub(super) fn exp(x: f64) -> f64 {
    if x < LOWEST {
        return 0.0;
    }
    let k = (x * LOG2_E + ROUNDER) - ROUNDER;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    let sum = TAYLOR.iter().rev().fold(0.0, |sum, coefficient| sum * r + coefficient);
    sum * power_of_two(k as i32)
}

/// 2^k for k from -1022 to 0.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(u64::from((1023 + k) as u32) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_exact_as_the_platform() {
        for step in 0..70_000 {
            let x = -f64::from(step) * 0.010_1;
            let (ours, platform) = (exp(x), x.exp());
            assert!((ours - platform).abs() <= 4.0 * f64::EPSILON * platform, "exp({x}) = {ours}, not {platform}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e9), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn bits_are_fixed() {
        let bits = [-0.1, -0.5, -1.0, -2.5, -10.0, -100.0, -700.0].map(|x| exp(x).to_bits());
        let expected = [
            4_606_325_270_462_671_674,
            4_603_638_362_051_417_610,
            4_600_298_746_774_613_816,
            4_590_579_268_170_609_701,
            4_541_824_671_844_433_050,
            3_957_129_287_720_677_213,
            58_915_316_498_509_951,
        ];
        assert_eq!(bits, expected);
    }

    #[test]
    fn never_rises_as_x_falls() {
        let mut before = 1.0;
        for step in 0..100_000 {
            let value = exp(-f64::from(step) * 1e-4);
            assert!(value <= before);
            before = value;
        }
    }
}
