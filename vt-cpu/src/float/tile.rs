//! The inner loops of the float matmul: a tile of R weight rows by T tokens, its partial sums in registers.

use crate::arch::{Isa, prefetch};

use super::lanes::{LANES, Lanes};
use super::pairs::{add_products, lowest_exponent, products_stay_normal, sums_stay_normal};
use super::weight::{Weight, adds_pairs, flushes};

/// The partial sums of a tile.
pub(super) type Sums<const R: usize, const T: usize> = [[Lanes; T]; R];

/// No sums yet.
#[inline(always)]
pub(super) fn zeros<const R: usize, const T: usize>() -> Sums<R, T> {
    [[[0.0; LANES]; T]; R]
}

/// The packed weights of a tile: step after step, of each all rows.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, const R: usize> {
    pub(super) steps: &'a [[Lanes; R]],
    /// The lowest exponent among the weights, for types that are flushed.
    pub(super) floor: u32,
    /// As far as K has gone.
    pub(super) floor_so_far: u32,
}

/// The packed activations of a tile.
#[derive(Clone, Copy)]
pub(super) struct Acts<'a, const T: usize> {
    pub(super) steps: &'a [[Lanes; T]],
    /// The lowest exponent among the activations, of all K, for types that are flushed.
    pub(super) floor: u32,
}

/// Adds a stretch of K to the sums of a tile, or to zeros if it is the first one. The lines of `ahead`, weights that are
/// needed later, are asked for beside it.
#[inline(always)]
pub(super) fn accumulate<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    first: bool,
    panel: Panel<R>,
    acts: Acts<T>,
    ahead: &[W],
) {
    if flushes::<I, W>() && !flushes_nothing(sums, first, &panel, acts.floor) {
        if first {
            *sums = zeros();
        }
        return flushed_steps(sums, panel.steps, acts.steps);
    }
    let mut tile = if first { zeros() } else { *sums };
    let (weights, last_weights) = panel.steps.as_chunks::<2>();
    let (tokens, last_tokens) = acts.steps.as_chunks::<2>();
    let mut at = 0;
    for (weights, tokens) in weights.iter().zip(tokens) {
        if let Some(line) = ahead.get(at..at + 1) {
            prefetch(line);
        }
        at += line::<W>();
        step::<I, W, R, T>(isa, &mut tile, &weights[0], &tokens[0]);
        step::<I, W, R, T>(isa, &mut tile, &weights[1], &tokens[1]);
    }
    for (weights, tokens) in last_weights.iter().zip(last_tokens) {
        step::<I, W, R, T>(isa, &mut tile, weights, tokens);
    }
    *sums = tile;
}

/// The elements of a cache line.
pub(super) const fn line<W>() -> usize {
    64 / size_of::<W>()
}

/// Whether fused multiply-adds give the bits of a type that is flushed.
#[inline(always)]
fn flushes_nothing<const R: usize, const T: usize>(
    sums: &Sums<R, T>,
    first: bool,
    panel: &Panel<R>,
    acts: u32,
) -> bool {
    products_stay_normal(panel.floor_so_far, acts)
        || !first && products_stay_normal(panel.floor, acts) && sums_stay_normal(lowest_exponent(sums.as_flattened()))
}

/// One vector of each row with one of each token.
#[inline(always)]
pub(super) fn step<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    weights: &[Lanes; R],
    acts: &[Lanes; T],
) {
    if !adds_pairs::<I, W>() {
        return isa.add_products(sums, weights, acts);
    }
    for r in 0..R {
        for t in 0..T {
            sums[r][t] = isa.dot_pairs(&sums[r][t], &weights[r], &acts[t]);
        }
    }
}

/// Steps of a type that is flushed.
#[inline(always)]
pub(super) fn flushed_steps<const R: usize, const T: usize>(
    sums: &mut Sums<R, T>,
    weights: &[[Lanes; R]],
    acts: &[[Lanes; T]],
) {
    for i in 0..R * T {
        let sums = &mut sums[i / T][i % T];
        for (weights, acts) in weights.iter().zip(acts) {
            *sums = add_products(sums, &weights[i / T], &acts[i % T]);
        }
    }
}
