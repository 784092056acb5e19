//! RMS normalization (Zhang and Sennrich, arXiv 1910.07467).

use super::lanes::sum_of_squares;

/// `out[i] = x[i] / sqrt(mean of the squares of x + eps) * w[i]`.
///
/// The sum of squares in the order of [`lanes`](super::lanes); `scale = 1 / sqrt(sum / n + eps)`; then
/// `(x[i] * scale) * w[i]`, every operation rounded.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub fn rms_norm(x: &[f32], w: &[f32], eps: f32, out: &mut [f32]) {
    assert!(x.len() == w.len() && x.len() == out.len(), "{} and {} into {} elements", x.len(), w.len(), out.len());
    let scale = 1.0 / (sum_of_squares(x) / x.len() as f32 + eps).sqrt();
    for ((out, x), w) in out.iter_mut().zip(x).zip(w) {
        *out = (x * scale) * w;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier};

    #[test]
    fn it_is_the_formula_in_every_tier() {
        for n in [1, 2, 15, 16, 17, 64, 100, 2048] {
            let (x, w) = (numbers(3, n), numbers(4, n));
            let results = on_every_tier(|| {
                let mut out = vec![f32::NAN; n];
                rms_norm(&x, &w, 1e-5, &mut out);
                out
            });
            let mean = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / n as f64;
            for (i, got) in results[0].iter().enumerate() {
                let want = f64::from(x[i]) / (mean + f64::from(1e-5f32)).sqrt() * f64::from(w[i]);
                assert!((f64::from(*got) - want).abs() <= 4e-7 * want.abs(), "{n} {i}: {got} {want}");
            }
            assert!(results.iter().all(|r| r.iter().zip(&results[0]).all(|(a, b)| a.to_bits() == b.to_bits())), "{n}");
        }
    }

    #[test]
    fn no_elements_are_normalized_to_none() {
        rms_norm(&[], &[], 1e-5, &mut []);
    }
}
