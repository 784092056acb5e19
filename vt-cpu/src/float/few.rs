//! Few tokens: each weight row is read once, from end to end, several rows at a time, straight into registers.

use vt_core::{View, ViewMut};

use crate::arch::{Isa, prefetch};

use super::lanes::{LANES, Lanes, add_tree};
use super::pairs::{Floor, lowest_exponent, products_stay_normal};
use super::tile::{Sums, flushed_steps, step, zeros};
use super::weight::{CHUNK, Weight, chunks, flushes, put, steps, vectors};

/// The most tokens, and the most in a group.
pub(super) const MOST: usize = 16;
const MOST_TOKENS: usize = 6;

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

/// All tokens, in groups of at most T: of a tile of rows the first group's weights come from memory, the others' from caches.
#[inline(always)]
pub(super) fn few<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    const { assert!(T <= MOST_TOKENS) };
    let (m, steps) = (acts.rows(), vectors::<I, W>(acts.cols()));
    let groups = m.div_ceil(T);
    let span = |g: usize| (g * m / groups, (g + 1) * m / groups);
    let mut floors = [0; MOST];
    for (g, floor) in floors.iter_mut().enumerate().take(groups) {
        let (start, end) = span(g);
        let to = &mut scratch[start * steps..end * steps];
        pack_rows::<I, W>(acts.slice_rows(start, end - start), to);
        *floor = if flushes::<I, W>() { lowest_exponent(to) } else { 0 };
    }
    for n in (0..weights.rows()).step_by(R) {
        let rows = rows(weights, n);
        for (g, floor) in floors.iter().enumerate().take(groups) {
            let (start, end) = span(g);
            let acts = &scratch[start * steps..end * steps];
            let out = &mut out.tile(start, end - start, n, R.min(weights.rows() - n));
            let part = [g, groups];
            match end - start {
                1 => group::<I, W, R, 1>(isa, &rows, acts, *floor, part, out),
                2 => group::<I, W, R, 2>(isa, &rows, acts, *floor, part, out),
                3 if T > 3 => group::<I, W, R, 3>(isa, &rows, acts, *floor, part, out),
                4 if T > 4 => group::<I, W, R, 4>(isa, &rows, acts, *floor, part, out),
                5 if T > 5 => group::<I, W, R, 5>(isa, &rows, acts, *floor, part, out),
                _ => group::<I, W, R, T>(isa, &rows, acts, *floor, part, out),
            }
        }
    }
}

/// Packs the rows of a group.
#[inline(always)]
fn pack_rows<I: Isa, W: Weight>(acts: View<f32>, to: &mut [Lanes]) {
    match acts.rows() {
        1 => pack_group::<I, W, 1>(acts, to),
        2 => pack_group::<I, W, 2>(acts, to),
        3 => pack_group::<I, W, 3>(acts, to),
        4 => pack_group::<I, W, 4>(acts, to),
        5 => pack_group::<I, W, 5>(acts, to),
        _ => pack_group::<I, W, 6>(acts, to),
    }
}

#[inline(always)]
fn pack_group<I: Isa, W: Weight, const T: usize>(acts: View<f32>, to: &mut [Lanes]) {
    for t in 0..T {
        pack::<I, W, T>(acts.row(t), t, to.as_chunks_mut().0);
    }
}

/// A tile of outputs. Of the rows that are needed later a part is asked for.
#[inline(always)]
fn group<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    rows: &Rows<W, R>,
    acts: &[Lanes],
    floor: u32,
    part: [usize; 2],
    out: &mut ViewMut<f32>,
) {
    let acts = acts.as_chunks().0;
    let (sums, lowest) = multiply::<I, W, R, T>(isa, rows, acts, part);
    let exact = !flushes::<I, W>() || products_stay_normal(lowest.exponent(), floor);
    let sums = if exact { sums } else { flushed::<I, W, R, T>(isa, rows, acts) };
    for (r, sums) in sums.iter().enumerate().take(out.cols()) {
        for (t, sums) in sums.iter().enumerate() {
            out.row_mut(t)[r] = add_tree(sums);
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
    [part, parts]: [usize; 2],
) -> (Sums<R, T>, Floor) {
    let (mut sums, mut floor) = (zeros::<R, T>(), Floor::new());
    let count = rows.whole[0].len();
    let (first, last) = acts.split_at(count * steps::<I, W>());
    let ask = part * count / parts..(part + 1) * count / parts;
    for (c, acts) in first.chunks_exact(steps::<I, W>()).enumerate() {
        if ask.contains(&c) {
            for row in rows.ahead {
                if let Some(chunk) = row.get(c * CHUNK..(c + 1) * CHUNK) {
                    prefetch(chunk);
                }
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
