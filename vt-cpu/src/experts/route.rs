//! The choice of experts.
//!
//! The softmax of numbers x is `e[i] / s` with `e[i] = exp(x[i] - m)`, m the greatest that is no NaN, and s the sum of all
//! e in sixteen partial sums by `i mod 16`, added as the tree of [`lanes`](crate::float::lanes). Scores are what is made of
//! the logits plus the bias, rounded once. A group's score is the sum of its highest and its second highest. The sum that
//! weights are divided by is taken in the order of the choice, from +0, and is no less than 2^-14; then weights are
//! multiplied by the factor.

use std::ops::Range;

use vt_core::op::{Route, Scoring};

use crate::float::lanes::{LANES, add_tree};
use crate::math::{exp, sigmoid};

/// The least sum that weights are divided by: the smallest normal f16.
const LEAST_SUM: f32 = 1.0 / 16_384.0;

/// The f32 elements of scratch for that many experts.
pub fn route_scratch(op: &Route, experts: usize) -> usize {
    2 * experts + op.groups
}

/// The chosen experts of one row, and their weights.
///
/// # Panics
/// If lengths do not belong together, or `scratch` is shorter than [`route_scratch`] says.
#[inline(always)]
pub fn route(
    op: &Route,
    logits: &[f32],
    bias: &[f32],
    (chosen, weights): (&mut [i32], &mut [f32]),
    scratch: &mut [f32],
) {
    let (made, rest) = scratch.split_at_mut(logits.len());
    let (scores, groups) = rest.split_at_mut(logits.len());
    make(op.scoring, logits, made);
    for ((score, made), bias) in scores.iter_mut().zip(&*made).zip(bias) {
        *score = low_nan(made + bias);
    }
    choose(op, scores, &mut groups[..op.groups], (&mut *chosen, &mut *weights));
    for (weight, expert) in weights.iter_mut().zip(&*chosen) {
        *weight = made[*expert as usize];
    }
    weigh(op, weights);
}

/// What is made of the logits.
#[inline(always)]
fn make(scoring: Scoring, logits: &[f32], made: &mut [f32]) {
    made.copy_from_slice(logits);
    match scoring {
        Scoring::Softmax => softmax(made),
        Scoring::Sigmoid => made.iter_mut().for_each(|x| *x = sigmoid(*x)),
        Scoring::SoftmaxOfChosen => {}
    }
}

/// The numbers as weights that choose: a NaN is as low as can be.
#[inline(always)]
fn low_nan(x: f32) -> f32 {
    if x.is_nan() { f32::NEG_INFINITY } else { x }
}

#[inline(always)]
fn softmax(x: &mut [f32]) {
    let max = x.iter().fold(f32::NEG_INFINITY, |max, x| if *x > max { *x } else { max });
    x.iter_mut().for_each(|x| *x = exp(*x - max));
    let mut sums = [0.0; LANES];
    for x in x.chunks(LANES) {
        sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
    }
    let sum = add_tree(&sums);
    x.iter_mut().for_each(|x| *x /= sum);
}

/// The experts of the highest scores, the highest first; `best` is their scores.
#[inline(always)]
fn choose(op: &Route, scores: &[f32], groups: &mut [f32], (chosen, best): (&mut [i32], &mut [f32])) {
    let size = scores.len() / op.groups;
    let range = |group: usize| group * size..(group + 1) * size;
    if op.used_groups < op.groups {
        for (group, score) in groups.iter_mut().enumerate() {
            *score = two_highest(&scores[range(group)]);
        }
    }
    let mut found = 0;
    for group in 0..op.groups {
        if op.used_groups == op.groups || rank(groups, group) < op.used_groups {
            found = insert(scores, range(group), (&mut *chosen, &mut *best), found);
        }
    }
}

/// The sum of the two highest; of one, it alone.
#[inline(always)]
fn two_highest(scores: &[f32]) -> f32 {
    let (mut first, mut second) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for score in scores {
        if *score > first {
            (first, second) = (*score, first);
        } else if *score > second {
            second = *score;
        }
    }
    if scores.len() > 1 { first + second } else { first }
}

/// How many are higher, or as high and earlier.
#[inline(always)]
fn rank(scores: &[f32], of: usize) -> usize {
    let higher = |(i, score): (usize, &f32)| *score > scores[of] || (*score == scores[of] && i < of);
    scores.iter().enumerate().filter(|s| higher(*s)).count()
}

/// Puts the experts of a range into the list of the `found` best, of which it has room for some. How many there are then.
#[inline(always)]
fn insert(scores: &[f32], range: Range<usize>, (chosen, best): (&mut [i32], &mut [f32]), mut found: usize) -> usize {
    for expert in range {
        let score = scores[expert];
        if found == best.len() && best.last().is_none_or(|last| score <= *last) {
            continue;
        }
        let mut at = found.min(best.len() - 1);
        while at > 0 && best[at - 1] < score {
            (best[at], chosen[at]) = (best[at - 1], chosen[at - 1]);
            at -= 1;
        }
        (best[at], chosen[at]) = (score, expert as i32);
        found = (found + 1).min(best.len());
    }
    found
}

/// The weights of the chosen, of what was made of their logits.
#[inline(always)]
fn weigh(op: &Route, weights: &mut [f32]) {
    if op.scoring == Scoring::SoftmaxOfChosen {
        softmax(weights);
    }
    if op.normalize {
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        let sum = if sum < LEAST_SUM { LEAST_SUM } else { sum };
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    weights.iter_mut().for_each(|weight| *weight *= op.scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(op: &Route, logits: &[f32], bias: &[f32]) -> (Vec<i32>, Vec<f32>) {
        let (mut chosen, mut weights) = (vec![-7; op.used], vec![-7.0; op.used]);
        let mut scratch = vec![f32::NAN; route_scratch(op, logits.len())];
        route(op, logits, bias, (&mut chosen, &mut weights), &mut scratch);
        (chosen, weights)
    }

    fn chosen(op: &Route, logits: &[f32]) -> Vec<i32> {
        routed(op, logits, &vec![0.0; logits.len()]).0
    }

    const LOGITS: Route = Route::new(Scoring::SoftmaxOfChosen, 3);

    #[test]
    fn the_highest_come_first_and_of_equals_the_lowest() {
        assert_eq!(chosen(&LOGITS, &[1.0, 5.0, 2.0, 7.0]), [3, 1, 2]);
        assert_eq!(chosen(&LOGITS, &[2.0, 2.0, 2.0, 2.0]), [0, 1, 2]);
        assert_eq!(chosen(&LOGITS, &[1.0, 3.0, 1.0, 3.0, 1.0]), [1, 3, 0]);
        assert_eq!(chosen(&LOGITS, &[0.0, -0.0, 0.0, -0.0]), [0, 1, 2]);
    }

    #[test]
    fn a_nan_is_as_low_as_minus_infinity() {
        let (nan, low) = (f32::NAN, f32::NEG_INFINITY);
        assert_eq!(chosen(&LOGITS, &[nan, -1e30, nan, 5.0]), [3, 1, 0]);
        assert_eq!(chosen(&LOGITS, &[low, nan, low, nan]), [0, 1, 2]);
        let (all, weights) = routed(&Route::new(Scoring::Softmax, 2), &[1.0, nan, 2.0], &[0.0; 3]);
        assert!(all == [0, 1] && weights.iter().all(|w| w.is_nan()));
    }

    #[test]
    fn a_bias_chooses_and_does_not_weigh() {
        let op = Route::new(Scoring::Sigmoid, 2);
        let (all, weights) = routed(&op, &[0.0, 3.0, 0.0, -3.0], &[0.0, 0.0, 0.5, 1.0]);
        assert_eq!(all, [3, 2], "1.047 and 1 against 0.953 and 0.5");
        assert_eq!(weights, [sigmoid(-3.0), 0.5]);
    }

    /// Group scores are 5 + 4, 8 + 0 and 6 + 3.5: the highest expert is in none of the two best groups.
    #[test]
    fn groups_are_as_good_as_their_two_best() {
        let op = Route { groups: 3, used_groups: 2, ..LOGITS };
        assert_eq!(chosen(&op, &[5.0, 4.0, -9.0, 8.0, 0.0, -1.0, 3.5, 3.0, 6.0]), [8, 0, 1]);
        let tied = Route { groups: 3, used_groups: 1, used: 2, ..LOGITS };
        assert_eq!(chosen(&tied, &[1.0, 2.0, 2.0, 1.0, 3.0, 0.0]), [1, 0]);
        let low = f32::NEG_INFINITY;
        assert_eq!(chosen(&tied, &[low, low, low, 1.0, 1.0, low]), [0, 1], "as low as the others");
        let single = Route { groups: 3, used_groups: 2, used: 2, ..LOGITS };
        assert_eq!(chosen(&single, &[1.0, 3.0, 2.0]), [1, 2]);
    }

    #[test]
    fn weights_add_up_where_they_are_normalized_and_are_scaled_last() {
        let op = Route { normalize: true, scale: 2.5, ..Route::new(Scoring::Softmax, 2) };
        let (_, weights) = routed(&op, &[2.0, 1.0, 0.0, 2.0], &[0.0; 4]);
        assert_eq!(weights, [1.25, 1.25]);
        let tiny = Route { scoring: Scoring::Sigmoid, scale: 1.0, ..op };
        let (_, weights) = routed(&tiny, &[-30.0, -20.0], &[0.0; 2]);
        assert_eq!(weights, [-20.0, -30.0].map(|x| sigmoid(x) * 16_384.0), "the sum is too small to divide by");
        let (_, weights) = routed(&Route::new(Scoring::SoftmaxOfChosen, 1), &[-3.0, 4.0], &[0.0; 2]);
        assert_eq!(weights, [1.0]);
    }
}
