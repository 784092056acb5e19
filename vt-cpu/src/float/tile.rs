//! The inner loops of the float matmul: a tile of R weight rows by T tokens, its partial sums in registers.

use vt_core::View;

use crate::arch::{Isa, prefetch};

use super::lanes::{LANES, Lanes};
use super::pairs::{Floor, NO_FLOOR, add_products, lowest_exponent, products_stay_normal, sums_stay_normal};
use super::weight::{CHUNK, Weight, adds_pairs, chunks, flushes, put, steps};

/// The partial sums of a tile.
pub(super) type Sums<const R: usize, const T: usize> = [[Lanes; T]; R];

/// Chunks are unpacked so far ahead of their products: the compiler would keep younger ones in registers, which sums need.
const UNPACKED_AHEAD: usize = 2;

/// No sums yet.
#[inline(always)]
pub(super) fn zeros<const R: usize, const T: usize>() -> Sums<R, T> {
    [[[0.0; LANES]; T]; R]
}

/// The weights of a tile as they lie.
pub(super) struct Rows<'a, W, const R: usize> {
    whole: [&'a [[W; CHUNK]]; R],
    /// What is left of each row, filled up.
    last: [[W; CHUNK]; R],
}

impl<'a, W: Weight, const R: usize> Rows<'a, W, R> {
    /// The rows from `n` on; where there are no more, the last one again.
    #[inline(always)]
    pub(super) fn new(weights: View<'a, W>, n: usize) -> Self {
        let mut rows = Self { whole: [&[]; R], last: [[W::ABSENT; CHUNK]; R] };
        for (r, whole) in rows.whole.iter_mut().enumerate() {
            let (row, rest) = chunks(weights.row((n + r).min(weights.rows() - 1)), W::ABSENT);
            *whole = row;
            if let Some(rest) = rest {
                rows.last[r] = rest;
            }
        }
        rows
    }

    /// Unpacks chunk `c`.
    #[inline(always)]
    fn unpack_chunk<I: Isa>(&self, isa: I, c: usize, to: &mut [[Lanes; R]], floor: &mut Floor) {
        for (r, row) in self.whole.iter().enumerate() {
            let chunk = row.get(c).unwrap_or(&self.last[r]);
            put(to, r, &W::weights(isa, chunk, floor));
        }
    }

    /// Unpacks all. `floor` is that of the weights before, if there were any.
    #[inline(always)]
    pub(super) fn unpack<'p, I: Isa>(&self, isa: I, to: &'p mut [[Lanes; R]], floor: Option<u32>) -> Panel<'p, R> {
        let (mut lowest, mut rows) = (Floor::new(), self.whole);
        let count = rows[0].len();
        let (whole, rest) = to.split_at_mut(count * steps::<I, W>());
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &row[..count];
            if !rest.is_empty() {
                put(rest, r, &W::weights(isa, &self.last[r], &mut lowest));
            }
        }
        for (c, to) in whole.chunks_exact_mut(steps::<I, W>()).enumerate() {
            for (r, row) in rows.iter().enumerate() {
                put(to, r, &W::weights(isa, &row[c], &mut lowest));
            }
        }
        Panel::new::<I, W>(to, lowest, floor)
    }
}

/// Whether some rows of this type suit products as they lie: f32, where products may take operands from memory.
const fn may_suit<I: Isa, W>() -> bool {
    size_of::<W>() == size_of::<f32>() && !I::LOADS_FIRST
}

/// Whether rows suit products as they lie: whole chunks of f32, of which no vector lies in two lines of the cache.
#[inline(always)]
pub(super) fn suits<I: Isa, W>(weights: View<W>) -> bool {
    let (start, stride) = weights.as_ptr_and_stride();
    may_suit::<I, W>()
        && weights.cols().is_multiple_of(CHUNK)
        && stride.is_multiple_of(LANES)
        && start.addr().is_multiple_of(size_of::<Lanes>())
}

/// The packed weights of a tile: step after step, of each all rows.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, const R: usize> {
    pub(super) steps: &'a [[Lanes; R]],
    /// The lowest exponent among the weights, for types that are flushed.
    pub(super) floor: u32,
    /// The same of all weights up to here.
    pub(super) floor_so_far: u32,
}

impl<'a, const R: usize> Panel<'a, R> {
    #[inline(always)]
    fn new<I: Isa, W: Weight>(steps: &'a [[Lanes; R]], lowest: Floor, before: Option<u32>) -> Self {
        let floor = if flushes::<I, W>() { lowest.exponent() } else { NO_FLOOR };
        Self { steps, floor, floor_so_far: floor.min(before.unwrap_or(NO_FLOOR)) }
    }
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
    /// As they lie, for which see [`suits`].
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

/// The sums with the products of rows that [`suits`] is true of.
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
            put(&mut weights, r, &W::weights(isa, &row[c], &mut Floor::new()));
        }
        step::<I, W, R, T>(isa, &mut tile, &weights[0], &tokens[0]);
        step::<I, W, R, T>(isa, &mut tile, &weights[1], &tokens[1]);
    }
    tile
}

/// As [`accumulate`], where there are registers enough; beside it rows are unpacked into a panel for other tiles. `floor` is that of the weights before, if there
/// were any.
#[inline(always)]
pub(super) fn unpack_and_accumulate<'a, I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    floor: Option<u32>,
    rows: &Rows<W, R>,
    panel: &'a mut [[Lanes; R]],
    acts: Acts<T>,
    ahead: &[W],
) -> Panel<'a, R> {
    let (first, mut lowest) = (floor.is_none(), Floor::new());
    let mut tile = if first { zeros() } else { *sums };
    let steps = steps::<I, W>();
    let count = panel.len() / steps;
    for c in 0..UNPACKED_AHEAD.min(count) {
        rows.unpack_chunk(isa, c, &mut panel[c * steps..][..steps], &mut lowest);
    }
    for (c, tokens) in acts.steps.chunks_exact(steps).enumerate() {
        ask(ahead, c * line::<W>());
        let next = c + UNPACKED_AHEAD;
        if next < count {
            rows.unpack_chunk(isa, next, &mut panel[next * steps..][..steps], &mut lowest);
        }
        for (weights, tokens) in panel[c * steps..][..steps].iter().zip(tokens) {
            step::<I, W, R, T>(isa, &mut tile, weights, tokens);
        }
    }
    let panel = Panel::new::<I, W>(panel, lowest, floor);
    if flushes::<I, W>() && !flushes_nothing(sums, first, &panel, acts.floor) {
        add_flushed(sums, first, &panel, acts);
    } else {
        *sums = tile;
    }
    panel
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
