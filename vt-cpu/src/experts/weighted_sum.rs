//! Weighted sums of rows: `out = fma(weights[k], x[k], out)` from +0, k ascending, element by element.

use vt_core::View;

/// Elements whose sums stay in registers.
const PART: usize = 64;

/// `out[d] = sum over k of weights[k] * x[k][d]`, for as many rows of `x` as there are weights.
///
/// # Panics
/// If `x` has fewer rows, or other columns than `out`.
#[inline(always)]
pub fn weighted_sum(x: View<'_, f32>, weights: &[f32], out: &mut [f32]) {
    let (parts, rest) = out.as_chunks_mut::<PART>();
    let whole = parts.len() * PART;
    for (i, part) in parts.iter_mut().enumerate() {
        let mut sums = [0.0; PART];
        for (k, weight) in weights.iter().enumerate() {
            let x: &[f32; PART] = &x.row(k).as_chunks().0[i];
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum = weight.mul_add(*x, *sum);
            }
        }
        *part = sums;
    }
    rest.fill(0.0);
    for (k, weight) in weights.iter().enumerate() {
        for (sum, x) in rest.iter_mut().zip(&x.row(k)[whole..]) {
            *sum = weight.mul_add(*x, *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier};

    #[test]
    fn sums_follow_the_rule_on_every_tier() {
        for (k, d) in [(0, 5), (1, 64), (2, 67), (8, 130), (3, 1)] {
            let (x, weights) = (numbers(1, k * d), numbers(2, k));
            let rule = |c: usize| (0..k).fold(0.0f32, |sum, i| weights[i].mul_add(x[i * d + c], sum));
            let want: Vec<u32> = (0..d).map(|c| rule(c).to_bits()).collect();
            let sum = || {
                let mut out = vec![f32::NAN; d];
                weighted_sum(View::new(&x, k, d, d), &weights, &mut out);
                out
            };
            for got in on_every_tier(sum) {
                assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), want, "{k} {d}");
            }
        }
    }
}
