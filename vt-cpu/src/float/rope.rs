//! Rotary position embedding (Su et al., arXiv 2104.09864).

use vt_core::op::RopeStyle;

use crate::math::{exp_f64, ln_f64, sin_cos_f64};

/// The angle per position of each of the n pairs: `base^(-i / n) * scale / factors[i]`, in f64.
///
/// `ln_f64` of the base, times -i, divided by n, then `exp_f64`, then the product and the quotient, each rounded. The
/// error is a few units of 2^-53 times ln(base). Missing factors are 1.
#[inline(always)]
pub fn rope_frequencies(base: f32, scale: f32, factors: &[f32], out: &mut [f64]) {
    let n = out.len() as f64;
    let log = ln_f64(f64::from(base));
    for (i, out) in out.iter_mut().enumerate() {
        let factor = factors.get(i).copied().unwrap_or(1.0);
        *out = exp_f64(log * -(i as f64) / n) * f64::from(scale) / f64::from(factor);
    }
}

/// `magnitude` times the cosines and sines of a position's angles, `position * frequencies[i]`: in f64, rounded once to
/// f32.
///
/// Within 0.51 ulp of f32 for the f64 product, up to 2^30.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub fn rope_angles(position: usize, frequencies: &[f64], magnitude: f32, cos: &mut [f32], sin: &mut [f32]) {
    assert!(cos.len() == frequencies.len() && sin.len() == frequencies.len(), "{} frequencies", frequencies.len());
    let (position, magnitude) = (position as f64, f64::from(magnitude));
    for ((frequency, cos), sin) in frequencies.iter().zip(cos).zip(sin) {
        let (s, c) = sin_cos_f64(position * frequency);
        *cos = (magnitude * c) as f32;
        *sin = (magnitude * s) as f32;
    }
}

/// Rotates the first `2 * cos.len()` elements of each head of a row; the rest of a head stays.
///
/// A pair (a, b) becomes `fma(a, c, -(b * s))`, `fma(a, s, b * c)`.
///
/// # Panics
/// If the row is not whole heads, or a head has fewer elements than are rotated.
#[inline(always)]
pub fn rope(row: &mut [f32], head_dim: usize, style: RopeStyle, cos: &[f32], sin: &[f32]) {
    let n = cos.len();
    assert!(sin.len() == n && 2 * n <= head_dim, "{n} pairs in heads of {head_dim}");
    assert!(row.len().is_multiple_of(head_dim), "heads of {head_dim} in a row of {}", row.len());
    if head_dim == 0 {
        return;
    }
    for head in row.chunks_exact_mut(head_dim) {
        match style {
            RopeStyle::Norm => {
                let pairs = head.as_chunks_mut::<2>().0;
                for (([a, b], c), s) in pairs.iter_mut().zip(cos).zip(sin) {
                    (*a, *b) = rotate(*a, *b, *c, *s);
                }
            }
            RopeStyle::Neox => {
                let (first, second) = head.split_at_mut(n);
                for (((a, b), c), s) in first.iter_mut().zip(second).zip(cos).zip(sin) {
                    (*a, *b) = rotate(*a, *b, *c, *s);
                }
            }
        }
    }
}

#[inline(always)]
fn rotate(a: f32, b: f32, cos: f32, sin: f32) -> (f32, f32) {
    (a.mul_add(cos, -(b * sin)), a.mul_add(sin, b * cos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier, ulps};

    #[test]
    fn frequencies_are_powers_of_the_base() {
        let mut got = [0.0; 64];
        let factors: Vec<f32> = (0..64).map(|i| 1.0 + i as f32 / 8.0).collect();
        rope_frequencies(500_000.0, 0.25, &factors, &mut got);
        for (i, got) in got.iter().enumerate() {
            let want = 500_000f64.powf(-(i as f64) / 64.0) * 0.25 / (1.0 + i as f64 / 8.0);
            assert!((got / want - 1.0).abs() < 5e-15, "{i}");
        }
        rope_frequencies(10_000.0, 1.0, &[], &mut got);
        assert_eq!(got[0], 1.0);
        assert!((got[32] - 0.01).abs() < 1e-16);
    }

    #[test]
    fn angles_are_rounded_once() {
        let mut frequencies = [0.0; 64];
        rope_frequencies(10_000.0, 1.0, &[], &mut frequencies);
        for position in (0..3000).chain((3000..1_000_000).step_by(997)) {
            let results = on_every_tier(|| {
                let (mut cos, mut sin) = ([0.0; 64], [0.0; 64]);
                rope_angles(position, &frequencies, 1.0, &mut cos, &mut sin);
                (cos, sin)
            });
            let (cos, sin) = results[0];
            for i in 0..64 {
                let angle = position as f64 * frequencies[i];
                assert!(ulps(cos[i], angle.cos()) < 0.51 && ulps(sin[i], angle.sin()) < 0.51, "{position} {i}");
            }
            assert!(results.iter().all(|r| *r == (cos, sin)));
        }
    }

    #[test]
    fn pairs_turn_by_their_angle() {
        let frequencies = [1.0, 0.1, 0.01];
        let (mut cos, mut sin) = ([0.0; 3], [0.0; 3]);
        rope_angles(7, &frequencies, 1.0, &mut cos, &mut sin);
        let row = numbers(5, 16);
        for (style, pair) in [(RopeStyle::Norm, [0, 1]), (RopeStyle::Neox, [0, 3])] {
            let results = on_every_tier(|| {
                let mut row = row.clone();
                rope(&mut row, 8, style, &cos, &sin);
                row
            });
            let mut want: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
            for head in 0..2 {
                for (i, frequency) in frequencies.iter().enumerate() {
                    let step = if style == RopeStyle::Norm { 2 } else { 1 };
                    let [p, q] = pair.map(|p| head * 8 + p + i * step);
                    let (s, c) = (7.0 * frequency).sin_cos();
                    let (a, b) = (f64::from(row[p]), f64::from(row[q]));
                    (want[p], want[q]) = (a * c - b * s, a * s + b * c);
                }
            }
            for (i, want) in want.iter().enumerate() {
                assert!((f64::from(results[0][i]) - want).abs() < 2e-7, "{style:?} {i}");
            }
            assert!(results.iter().all(|r| *r == results[0]));
            assert_eq!(results[0][6..8], row[6..8]);
        }
    }

    #[test]
    fn rows_may_be_empty() {
        rope(&mut [], 0, RopeStyle::Norm, &[], &[]);
        rope(&mut [1.0, 2.0], 2, RopeStyle::Neox, &[], &[]);
    }
}
