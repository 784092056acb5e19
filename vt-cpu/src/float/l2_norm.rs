//! Normalization to length 1.

use super::lanes::sum_of_squares;

/// `out[i] = x[i] / max(root of the sum of the squares of x, eps)`.
///
/// The sum of squares in the order of [`lanes`](super::lanes); its root, or eps where that is not below the root;
/// `scale = 1 / root`; then `x[i] * scale`, every operation rounded.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub fn l2_norm(x: &[f32], eps: f32, out: &mut [f32]) {
    assert!(x.len() == out.len(), "{} into {} elements", x.len(), out.len());
    let root = sum_of_squares(x).sqrt();
    let scale = 1.0 / if root > eps { root } else { eps };
    for (out, x) in out.iter_mut().zip(x) {
        *out = x * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier};

    #[test]
    fn it_is_the_formula_in_every_tier() {
        for (n, eps) in [(1, 1e-6), (16, 1e-6), (33, 1e-6), (128, 1e-6), (64, 100.0)] {
            let x = numbers(3, n);
            let results = on_every_tier(|| {
                let mut out = vec![f32::NAN; n];
                l2_norm(&x, eps, &mut out);
                out
            });
            let length = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt().max(f64::from(eps));
            for (got, x) in results[0].iter().zip(&x) {
                let want = f64::from(*x) / length;
                assert!((f64::from(*got) - want).abs() <= 4e-7 * want.abs(), "{n}: {got} {want}");
            }
            assert!(results.iter().all(|r| r.iter().zip(&results[0]).all(|(a, b)| a.to_bits() == b.to_bits())), "{n}");
        }
    }

    #[test]
    fn nothing_has_no_length() {
        let mut out = [1.0; 4];
        l2_norm(&[0.0, -0.0, 0.0, 0.0], 1e-6, &mut out);
        assert_eq!(out, [0.0; 4]);
        l2_norm(&[], 1e-6, &mut []);
    }
}
