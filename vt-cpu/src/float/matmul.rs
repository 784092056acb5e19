//! Matmul with float weights: `out[m][n]` is the dot product of weight row n and activation row m.
//!
//! f32 and f16 weights: `sum = fma(w[k], x[k], sum)` in partial sum k mod 16, k ascending from +0, then the tree of
//! [`lanes`](super::lanes). bf16 weights: activations are rounded to bf16, denormal inputs are zeros, lane j of each
//! chunk of 32 elements takes the elements 2j + 1 and then 2j by the steps of [`pairs`](super::pairs), then the same tree.
//! Absent elements are skipped.
//! The way K is blocked and rows are tiled does not enter the result.

use vt_core::{View, ViewMut};

use crate::arch::Isa;

use super::few::{MOST, few, few_scratch};
use super::lanes::LANES;
use super::many::{many, many_scratch};
use super::weight::Weight;

/// The f32 elements that [`matmul`] needs as scratch for `tokens` rows of `k` elements, or fewer.
pub fn matmul_scratch<I: Isa, W: Weight>(tokens: usize, k: usize) -> usize {
    few_scratch::<I, W>(tokens, k).max(many_scratch::<I, W>(tokens, k)) * LANES
}

/// `out[m][n] = dot(weights[n], acts[m])`, weights [N, K], activations [M, K], out [M, N].
///
/// Of many tokens, R weight rows by T tokens (at most 8 by 4) are computed at a time: 6 by 4 suits 32 registers of 16 lanes,
/// 3 by 2 AVX2 and NEON. No element of `scratch` is read before it is written.
///
/// # Panics
/// If shapes disagree, or `scratch` is shorter than [`matmul_scratch`] says.
#[inline(always)]
pub fn matmul<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [f32],
) {
    let (m, n, k) = (acts.rows(), weights.rows(), acts.cols());
    assert!(weights.cols() == k && out.rows() == m && out.cols() == n, "[{n}, K] x [{m}, {k}]");
    assert!(scratch.len() >= matmul_scratch::<I, W>(m, k), "scratch of {} elements", scratch.len());
    if m == 0 || n == 0 {
        return;
    }
    let scratch = scratch.as_chunks_mut().0;
    if m > MOST {
        many::<I, W, R, T>(isa, weights, acts, out, scratch);
    } else if const { I::VECTORS >= 32 } {
        few::<I, W, 4, 6>(isa, weights, acts, out, scratch);
    } else if const { I::LOADS_FIRST } {
        few::<I, W, 2, 2>(isa, weights, acts, out, scratch);
    } else {
        few::<I, W, 2, 3>(isa, weights, acts, out, scratch);
    }
}
