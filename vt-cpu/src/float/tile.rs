//! The inner loops of the float matmul: a tile of R weight rows by T tokens, its partial sums in registers.

use crate::arch::{Isa, prefetch};

use super::lanes::{LANES, Lanes};
use super::pairs::{NO_FLOOR, add_products, lowest_exponent, products_stay_normal, sums_stay_normal};
use super::panel::{Panel, Rows, may_suit};
use super::weight::{Weight, adds_pairs, flushes, put, steps};

/// The partial sums of a tile.
pub(super) type Sums<const R: usize, const T: usize> = [[Lanes; T]; R];

/// Chunks are unpacked so far ahead of their products: the compiler would keep younger ones in registers, which sums need.
const UNPACKED_AHEAD: usize = 2;

/// No sums yet.
#[inline(always)]
pub(super) fn zeros<const R: usize, const T: usize>() -> Sums<R, T> {
    [[[0.0; LANES]; T]; R]
}

/// The packed activations of a tile.
#[derive(Clone, Copy)]
pub(super) struct Acts<'a, const T: usize> {
    pub(super) steps: &'a [[Lanes; T]],
    /// The lowest exponent among the activations, of all K, for types that are flushed.
    pub(super) floor: u32,
}

/// What tiles of tokens take their weights from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, W, const R: usize> {
    /// Unpacked.
    Panel(Panel<'a, R>),
    /// As they lie, for which see [`suits`](super::panel::suits).
    Rows(&'a Rows<'a, W, R>),
}

/// Adds a stretch of K to the sums of a tile, or to zeros if it is the first one. The lines of `ahead`, weights that are
/// needed later, are asked for beside it.
#[inline(always)]
pub(super) fn accumulate<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    first: bool,
    weights: Source<W, R>,
    acts: Acts<T>,
    ahead: &[W],
) {
    let tile = if first { zeros() } else { *sums };
    match weights {
        Source::Panel(panel) if flushes::<I, W>() && !flushes_nothing(sums, first, &panel, acts.floor) => {
            add_flushed(sums, first, &panel, acts);
        }
        Source::Panel(panel) => *sums = add_panel::<I, W, R, T>(isa, tile, panel, acts, ahead),
        Source::Rows(rows) if may_suit::<I, W>() => *sums = add_rows(isa, tile, rows, acts, ahead),
        Source::Rows(_) => unreachable!("rows that suit"),
    }
}

/// The sums with the products of a panel.
#[inline(always)]
fn add_panel<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    mut tile: Sums<R, T>,
    panel: Panel<R>,
    acts: Acts<T>,
    ahead: &[W],
) -> Sums<R, T> {
    let (weights, last_weights) = panel.steps.as_chunks::<2>();
    let (tokens, last_tokens) = acts.steps.as_chunks::<2>();
    let mut at = 0;
    for (weights, tokens) in weights.iter().zip(tokens) {
        ask(ahead, at);
        at += line::<W>();
        step::<I, W, R, T>(isa, &mut tile, &weights[0], &tokens[0]);
        step::<I, W, R, T>(isa, &mut tile, &weights[1], &tokens[1]);
    }
    for (weights, tokens) in last_weights.iter().zip(last_tokens) {
        step::<I, W, R, T>(isa, &mut tile, weights, tokens);
    }
    tile
}

/// The sums with the products of rows that [`suits`](super::panel::suits) is true of.
#[inline(always)]
fn add_rows<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    mut tile: Sums<R, T>,
    rows: &Rows<W, R>,
    acts: Acts<T>,
    ahead: &[W],
) -> Sums<R, T> {
    let (tokens, mut rows) = (acts.steps.as_chunks::<2>().0, rows.whole);
    for row in &mut rows {
        *row = &row[..tokens.len()];
    }
    for (c, tokens) in tokens.iter().enumerate() {
        ask(ahead, c * line::<W>());
        let mut weights = [[[0.0; LANES]; R]; 2];
        for (r, row) in rows.iter().enumerate() {
            put(&mut weights, r, &W::unflushed(isa, &row[c]));
        }
        step::<I, W, R, T>(isa, &mut tile, &weights[0], &tokens[0]);
        step::<I, W, R, T>(isa, &mut tile, &weights[1], &tokens[1]);
    }
    tile
}

/// Whether the first tile of tokens unpacks rows beside its products: where there are registers enough, and nothing to look at.
pub(super) const fn unpacks_beside<I: Isa, W: Weight>() -> bool {
    I::VECTORS >= 32 && !flushes::<I, W>()
}

/// As [`accumulate`], where [`unpacks_beside`] is true; rows are unpacked into a panel for other tiles.
#[inline(always)]
pub(super) fn unpack_and_accumulate<'a, I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    first: bool,
    rows: &Rows<W, R>,
    panel: &'a mut [[Lanes; R]],
    acts: Acts<T>,
    ahead: &[W],
) -> Panel<'a, R> {
    let mut tile = if first { zeros() } else { *sums };
    let steps = steps::<I, W>();
    let count = panel.len() / steps;
    for c in 0..UNPACKED_AHEAD.min(count) {
        rows.unpack_chunk(isa, c, &mut panel[c * steps..][..steps]);
    }
    for (c, tokens) in acts.steps.chunks_exact(steps).enumerate() {
        ask(ahead, c * line::<W>());
        let next = c + UNPACKED_AHEAD;
        if next < count {
            rows.unpack_chunk(isa, next, &mut panel[next * steps..][..steps]);
        }
        for (weights, tokens) in panel[c * steps..][..steps].iter().zip(tokens) {
            step::<I, W, R, T>(isa, &mut tile, weights, tokens);
        }
    }
    *sums = tile;
    Panel { steps: panel, floor: NO_FLOOR, floor_so_far: NO_FLOOR }
}

/// Asks for the line at element `at`, if there is one.
#[inline(always)]
fn ask<W>(ahead: &[W], at: usize) {
    if let Some(line) = ahead.get(at..at + 1) {
        prefetch(line);
    }
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

/// [`accumulate`] where sums are to be flushed.
#[inline(always)]
fn add_flushed<const R: usize, const T: usize>(sums: &mut Sums<R, T>, first: bool, panel: &Panel<R>, acts: Acts<T>) {
    if first {
        *sums = zeros();
    }
    flushed_steps(sums, panel.steps, acts.steps);
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
