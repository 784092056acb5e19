//! The softmax of a chunk, and the merging of chunks.

use std::ops::Range;

use super::CHUNK;
use crate::float::lanes::{LANES, Lanes, add_tree};
use crate::math::exp;

/// The greatest score of the keys in `seen` and the sum of the exponentials, which take the place of the scores; those
/// of other keys are zeros.
#[inline(always)]
pub(super) fn softmax(scores: &mut [f32; CHUNK], seen: Range<usize>) -> (f32, f32) {
    scores[..seen.start.min(CHUNK)].fill(f32::NEG_INFINITY);
    scores[seen.end..].fill(f32::NEG_INFINITY);
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for scores in scores.as_chunks::<LANES>().0 {
        for (max, s) in lanes.iter_mut().zip(scores) {
            *max = greater(*max, *s);
        }
    }
    let max = greatest(&lanes);
    let mut sums: Lanes = [0.0; LANES];
    for scores in scores.as_chunks_mut::<LANES>().0 {
        for (sum, s) in sums.iter_mut().zip(scores) {
            *s = exp(*s - max);
            *sum += *s;
        }
    }
    (max, add_tree(&sums))
}

/// The greatest of numbers that are no NaN, by halves as in [`add_tree`].
#[inline(always)]
fn greatest(lanes: &Lanes) -> f32 {
    let mut eight = [0.0; 8];
    for i in 0..8 {
        eight[i] = greater(lanes[i], lanes[i + 8]);
    }
    let mut four = [0.0; 4];
    for i in 0..4 {
        four[i] = greater(eight[i], eight[i + 4]);
    }
    greater(greater(four[0], four[2]), greater(four[1], four[3]))
}

/// `b` if it is greater, else `a`.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Merges a sink, whose exponential joins the sum, into the state (M, L, O); `out` is O.
#[inline(always)]
pub(super) fn merge_sink(state: &mut [f32; 2], out: &mut [f32], sink: f32) {
    let [old_max, old_sum] = *state;
    let new_max = greater(old_max, sink);
    let a = exp(old_max - new_max);
    *state = [new_max, old_sum.mul_add(a, exp(sink - new_max))];
    out.iter_mut().for_each(|out| *out *= a);
}

/// Merges a chunk's (m, l, o) into the state (M, L, O); `out` is O.
#[inline(always)]
pub(super) fn merge(state: &mut [f32; 2], out: &mut [f32], (max, sum): (f32, f32), weighted: &[f32]) {
    let [old_max, old_sum] = *state;
    let new_max = greater(old_max, max);
    let (a, b) = (exp(old_max - new_max), exp(max - new_max));
    *state = [new_max, old_sum.mul_add(a, sum * b)];
    for (out, o) in out.iter_mut().zip(weighted) {
        *out = out.mul_add(a, o * b);
    }
}
