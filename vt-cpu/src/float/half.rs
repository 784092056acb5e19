//! Conversions between binary16, bfloat16 and binary32 without branches, in integer and exact float operations, so that
//! loops over them vectorize on every tier. All of them agree with IEEE 754 on every input (a NaN stays a NaN).

use half::{bf16, f16};

const SIGN: u32 = 0x8000_0000;
const F16_INFINITY: u32 = 0x7c00 << 13;
/// What takes an f16's exponent field, shifted into place, to an f32's: a bias of 127 instead of 15.
const REBIAS: u32 = (127 - 15) << 23;
/// 2^-14, the smallest normal f16.
const F16_MIN_NORMAL: u32 = (127 - 14) << 23;

/// The value of `x`, exact.
///
/// A denormal f16 is the fraction of a normal number with the exponent -14, less that power of two: no step has a
/// denormal operand, which processors would take a slow path for.
#[inline(always)]
pub fn f16_to_f32(x: f16) -> f32 {
    let wide = i32::from(x.to_bits() as i16) as u32;
    let sign = wide & SIGN;
    let magnitude = (wide << 13) & 0x0fff_e000;
    let rebias = if magnitude >= F16_INFINITY { 2 * REBIAS } else { REBIAS };
    let normal = magnitude + rebias;
    let denormal = f32::from_bits(magnitude + F16_MIN_NORMAL) - f32::from_bits(F16_MIN_NORMAL);
    let bits = if magnitude < 1 << 23 { denormal.to_bits() } else { normal };
    f32::from_bits(bits | sign)
}

/// `x` rounded to the nearest f16, ties to even; beyond 65519 infinity.
///
/// A result that is denormal is rounded by an addition: 0.5 + |x| has its last bit at 2^-24, as denormal f16 have.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> f16 {
    let bits = x.to_bits();
    let magnitude = bits & !SIGN;
    let odd = (magnitude >> 13) & 1;
    // Wraps for a NaN or a value below the normal range only; neither takes this result.
    let normal = magnitude.wrapping_sub(REBIAS).wrapping_add(0xfff + odd) >> 13;
    let denormal = (0.5 + f32::from_bits(magnitude)).to_bits().wrapping_sub(0.5f32.to_bits());
    let finite = if magnitude < F16_MIN_NORMAL { denormal } else { normal };
    let bounded = if magnitude >= 0x477f_f000 { 0x7c00 } else { finite };
    let value = if magnitude > f32::INFINITY.to_bits() { 0x7e00 } else { bounded };
    f16::from_bits((value | ((bits & SIGN) >> 16)) as u16)
}

/// The value of `x`, exact.
#[inline(always)]
pub fn bf16_to_f32(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// `x` rounded to the nearest bf16, ties to even, as an f32.
#[inline(always)]
pub fn round_to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
    f32::from_bits(if x.is_nan() { f32::NAN.to_bits() } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of an f16 by its definition: sign, 5 bits of exponent, 10 of fraction.
    fn value_of_f16(bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
        match exponent {
            0 => sign * fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            _ => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
        }
    }

    #[test]
    fn every_f16_is_widened_exactly() {
        for bits in 0..=u16::MAX {
            let (got, want) = (f16_to_f32(f16::from_bits(bits)), value_of_f16(bits));
            assert!(got.is_nan() && want.is_nan() || (f64::from(got).to_bits() == want.to_bits()), "{bits:#x}");
        }
    }

    /// The f16 nearest to `x`, found among all of them in f64.
    fn nearest_f16(x: f32) -> u16 {
        let sign = ((x.to_bits() >> 31) as u16) << 15;
        let x = f64::from(x.abs());
        if x >= 65520.0 {
            return sign | 0x7c00;
        }
        let (mut low, mut high) = (0u16, 0x7c00u16);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if value_of_f16(middle) <= x { low = middle } else { high = middle }
        }
        let high_value = if high == 0x7c00 { 65536.0 } else { value_of_f16(high) };
        let (below, above) = (x - value_of_f16(low), high_value - x);
        let up = above < below || above == below && low & 1 == 1;
        sign | if up { high } else { low }
    }

    #[test]
    fn f32_are_narrowed_to_the_nearest_f16() {
        let mut cases: Vec<u32> = (0..300_000u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        for bits in 0..0x7c00u16 {
            let (a, b) = (value_of_f16(bits), value_of_f16(bits + 1).min(65536.0));
            let middle = ((a + b) / 2.0) as f32;
            let around = [a as f32, middle].map(f32::to_bits);
            cases.extend(around.iter().flat_map(|&b| [b.saturating_sub(1), b, b + 1, b | SIGN]));
        }
        for x in cases.into_iter().map(f32::from_bits) {
            let got = f32_to_f16(x);
            if x.is_nan() {
                assert!(got.is_nan());
            } else {
                assert_eq!(got.to_bits(), nearest_f16(x), "{x:e}");
            }
        }
    }

    #[test]
    fn bf16_rounding_takes_the_nearest_and_the_even_of_two() {
        for i in 0..400_000u32 {
            let x = f32::from_bits(i.wrapping_mul(0x9e37_79b9) & if i % 3 == 0 { 0xffff_8000 } else { u32::MAX });
            let got = round_to_bf16(x);
            if x.is_nan() {
                assert!(got.is_nan());
                continue;
            }
            let below = f32::from_bits(x.to_bits() & 0xffff_0000);
            let above = f32::from_bits((x.to_bits() & 0xffff_0000).wrapping_add(0x1_0000));
            // Past the largest bf16 the next step would be 2^128.
            let wide = |v: f32| if v.is_infinite() { 2f64.powi(128) } else { f64::from(v.abs()) };
            let (down, up) = (f64::from(x.abs()) - wide(below), wide(above) - f64::from(x.abs()));
            let even = below.to_bits() & 0x1_0000 == 0;
            let want = if x.is_infinite() || down < up || down == up && even { below } else { above };
            assert_eq!(got.to_bits(), want.to_bits(), "{x:e}");
        }
        assert_eq!(bf16_to_f32(bf16::from_bits(0xbf80)), -1.0);
    }
}
