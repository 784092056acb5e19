//! A natural logarithm that is the same on every machine.

use std::f64::consts::SQRT_2;

use super::exp::{LN2_HIGH, LN2_LOW};

/// Terms of the series; the first that is left out is below 2^-55 of the sum.
const TERMS: u32 = 12;

/// ln x for finite normal x above 0, to about one unit in the last place. x = 2^k m with m from 1/sqrt 2 to sqrt 2, and
/// ln m = 2 artanh s with s = (m - 1) / (m + 1): the sum of 2 s^(2i+1) / (2i+1), by Horner's rule.
pub(crate) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut k = (bits >> 52) as f64 - 1023.0;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | 1.0_f64.to_bits());
    if m > SQRT_2 {
        m *= 0.5;
        k += 1.0;
    }
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let sum = (0..TERMS).rev().fold(0.0, |sum, i| sum * square + 1.0 / f64::from(2 * i + 1));
    k * LN2_HIGH + (2.0 * s * sum + k * LN2_LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_exact_as_the_platform() {
        let mut x = 1e-300;
        while x < 1e300 {
            let (ours, platform) = (ln(x), x.ln());
            assert!((ours - platform).abs() <= 4.0 * f64::EPSILON * platform.abs(), "ln({x}) = {ours}, not {platform}");
            x *= 1.037;
        }
        for step in 0..100_000 {
            let x = 0.5 + f64::from(step) * 2e-5;
            let (ours, platform) = (ln(x), x.ln());
            assert!((ours - platform).abs() <= 4.0 * f64::EPSILON * platform.abs(), "ln({x}) = {ours}, not {platform}");
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn bits_are_fixed() {
        let bits = [0.1, 1.1, 2.0, 10.0, 151_936.0].map(|x| ln(x).to_bits());
        let expected = [
            13_835_739_416_338_191_637,
            4_591_532_242_907_186_892,
            4_604_418_534_313_441_775,
            4_612_367_379_483_415_830,
            4_622_906_294_791_037_136,
        ];
        assert_eq!(bits, expected);
    }
}
