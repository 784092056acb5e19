//! Few tokens: each weight row is read once, from end to end, several rows at a time, straight into registers.

use vt_core::{View, ViewMut};

use crate::arch::{Isa, prefetch};

use super::lanes::{LANES, Lanes, add_tree};
use super::pairs::{Floor, lowest_exponent, products_stay_normal};
use super::tile::{Sums, flushed_steps, step, zeros};
use super::weight::{CHUNK, Weight, chunks, flushes, put, steps, vectors};

/// The most tokens.
const MOST: usize = 4;

/// Weights are asked for so many bytes before they are needed, at least.
const DISTANCE: usize = 32 << 10;

/// The vectors of scratch for so many tokens, or fewer: all their activations.
pub(super) fn few_scratch<I: Isa, W: Weight>(tokens: usize, k: usize) -> usize {
    tokens.min(MOST) * vectors::<I, W>(k)
}

/// Weights of a tile and what is asked for beside them.
struct Rows<'a, W, const R: usize> {
    whole: [&'a [[W; CHUNK]]; R],
    last: [[W; CHUNK]; R],
    /// Rows that are needed later, or none.
    ahead: [&'a [W]; R],
}

/// T tokens, all of them.
#[inline(always)]
pub(super) fn few<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let packed = &mut scratch.as_chunks_mut().0[..vectors::<I, W>(acts.cols())];
    for t in 0..T {
        pack::<I, W, T>(acts.row(t), t, packed);
    }
    let floor = if flushes::<I, W>() { lowest_exponent(packed.as_flattened()) } else { 0 };
    for n in (0..weights.rows()).step_by(R) {
        let rows = rows(weights, n);
        let (sums, lowest) = multiply::<I, W, R, T>(isa, &rows, packed);
        let exact = !flushes::<I, W>() || products_stay_normal(lowest.exponent(), floor);
        let sums = if exact { sums } else { flushed::<I, W, R, T>(isa, &rows, packed) };
        for (r, sums) in sums.iter().enumerate().take(weights.rows() - n) {
            for (t, sums) in sums.iter().enumerate() {
                out.row_mut(t)[n + r] = add_tree(sums);
            }
        }
    }
}

/// Token `t` among T.
#[inline(always)]
pub(super) fn pack<I: Isa, W: Weight, const T: usize>(row: &[f32], t: usize, to: &mut [[Lanes; T]]) {
    let (whole, last) = chunks(row, 0.0);
    for (chunk, to) in whole.iter().zip(to.chunks_exact_mut(steps::<I, W>())) {
        put(to, t, &W::activations::<I>(chunk));
    }
    if let Some(last) = last {
        put(&mut to[whole.len() * steps::<I, W>()..], t, &W::activations::<I>(&last));
    }
}

/// The rows from `n` on; where there are no more, the last one again.
#[inline(always)]
fn rows<'a, W: Weight, const R: usize>(weights: View<'a, W>, n: usize) -> Rows<'a, W, R> {
    let tiles = DISTANCE.div_ceil(R * weights.cols() * size_of::<W>() + 1);
    let mut rows = Rows { whole: [&[]; R], last: [[W::ABSENT; CHUNK]; R], ahead: [&[]; R] };
    for r in 0..R {
        let (whole, last) = chunks(weights.row((n + r).min(weights.rows() - 1)), W::ABSENT);
        rows.whole[r] = whole;
        rows.last[r] = last.unwrap_or(rows.last[r]);
        if n + tiles * R + R <= weights.rows() {
            rows.ahead[r] = weights.row(n + tiles * R + r);
        }
    }
    rows
}

/// The partial sums where nothing is flushed, and the lowest of the weights.
#[inline(always)]
fn multiply<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    rows: &Rows<W, R>,
    acts: &[[Lanes; T]],
) -> (Sums<R, T>, Floor) {
    let (mut sums, mut floor) = (zeros::<R, T>(), Floor::new());
    let (first, last) = acts.split_at(rows.whole[0].len() * steps::<I, W>());
    for (c, acts) in first.chunks_exact(steps::<I, W>()).enumerate() {
        for row in rows.ahead {
            if let Some(chunk) = row.get(c * CHUNK..(c + 1) * CHUNK) {
                prefetch(chunk);
            }
        }
        for (weights, acts) in chunk_steps(isa, rows, c, &mut floor).iter().zip(acts) {
            step::<I, W, R, T>(isa, &mut sums, weights, acts);
        }
    }
    for (weights, acts) in last_steps(isa, rows, &mut floor).iter().zip(last) {
        step::<I, W, R, T>(isa, &mut sums, weights, acts);
    }
    (sums, floor)
}

/// The steps of chunk `c`.
#[inline(always)]
fn chunk_steps<I: Isa, W: Weight, const R: usize>(
    isa: I,
    rows: &Rows<W, R>,
    c: usize,
    floor: &mut Floor,
) -> [[Lanes; R]; 2] {
    let mut tile = [[[0.0; LANES]; R]; 2];
    for (r, row) in rows.whole.iter().enumerate() {
        put(&mut tile, r, &W::weights(isa, &row[c], floor));
    }
    tile
}

/// The steps of the last chunks.
#[inline(always)]
fn last_steps<I: Isa, W: Weight, const R: usize>(isa: I, rows: &Rows<W, R>, floor: &mut Floor) -> [[Lanes; R]; 2] {
    let mut tile = [[[0.0; LANES]; R]; 2];
    for (r, row) in rows.last.iter().enumerate() {
        put(&mut tile, r, &W::weights(isa, row, floor));
    }
    tile
}

/// The partial sums by steps that flush.
#[inline(always)]
fn flushed<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    rows: &Rows<W, R>,
    acts: &[[Lanes; T]],
) -> Sums<R, T> {
    let (mut sums, mut floor) = (zeros::<R, T>(), Floor::new());
    let (first, last) = acts.split_at(rows.whole[0].len() * steps::<I, W>());
    for (c, acts) in first.chunks_exact(steps::<I, W>()).enumerate() {
        flushed_steps(&mut sums, &chunk_steps(isa, rows, c, &mut floor), acts);
    }
    flushed_steps(&mut sums, &last_steps(isa, rows, &mut floor), last);
    sums
}
