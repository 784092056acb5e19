//! Few tokens: each weight row is read once, from end to end, several rows at a time, straight into registers.

use vt_core::{View, ViewMut};

use crate::arch::{Isa, Work, prefetch};

use super::lanes::{LANES, Lanes, add_tree};
use super::pairs::{Floor, NO_FLOOR, add_products, lowest_exponent, products_stay_normal};
use super::tile::{Sums, step, zeros};
use super::weight::{CHUNK, Vectors, Weight, chunks, flushes, put, steps, vectors};

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

impl<W: Weight, const R: usize> Rows<'_, W, R> {
    /// The lowest of the weights.
    #[inline(always)]
    fn floor<I: Isa>(&self, isa: I) -> Floor {
        let mut floor = Floor::new();
        for row in self.whole {
            row.iter().for_each(|chunk| W::lower(isa, chunk, &mut floor));
        }
        self.last.iter().for_each(|chunk| W::lower(isa, chunk, &mut floor));
        floor
    }
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
        // Beside the products the registers would not hold it.
        let lowest = if I::LOADS_FIRST { rows.floor(isa).exponent() } else { NO_FLOOR };
        for (g, floor) in floors.iter().enumerate().take(groups) {
            let (start, end) = span(g);
            let acts = &scratch[start * steps..end * steps];
            let out = &mut out.tile(start, end - start, n, R.min(weights.rows() - n));
            let (part, floors) = ([g, groups], [lowest, *floor]);
            match end - start {
                1 => group::<I, W, R, 1>(isa, &rows, acts, floors, part, out),
                2 if const { T > 2 } => group::<I, W, R, 2>(isa, &rows, acts, floors, part, out),
                3 if const { T > 3 } => group::<I, W, R, 3>(isa, &rows, acts, floors, part, out),
                4 if const { T > 4 } => group::<I, W, R, 4>(isa, &rows, acts, floors, part, out),
                5 if const { T > 5 } => group::<I, W, R, 5>(isa, &rows, acts, floors, part, out),
                _ => group::<I, W, R, T>(isa, &rows, acts, floors, part, out),
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
    floors: [u32; 2],
    part: [usize; 2],
    out: &mut ViewMut<f32>,
) {
    let acts = acts.as_chunks().0;
    let sums = sums::<I, W, R, T>(isa, rows, acts, floors, part);
    for (r, sums) in sums.iter().enumerate().take(out.cols()) {
        for (t, sums) in sums.iter().enumerate() {
            out.row_mut(t)[r] = add_tree(sums);
        }
    }
}

/// The partial sums; `floors` are the lowest exponents of weights, as far as they are known, and of activations.
#[inline(always)]
fn sums<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    rows: &Rows<W, R>,
    acts: &[[Lanes; T]],
    [lowest, floor]: [u32; 2],
    part: [usize; 2],
) -> Sums<R, T> {
    if !flushes::<I, W>() || products_stay_normal(lowest, floor) {
        let (sums, weights) = multiply::<I, W, R, T>(isa, rows, acts, part);
        if !flushes::<I, W>() || products_stay_normal(weights.exponent(), floor) {
            return sums;
        }
    }
    apart(isa, Flushed { isa, rows, acts })
}

/// Work that is rarely needed, and whose constants shall not take registers from loops around it.
#[cold]
#[inline(never)]
fn apart<I: Isa, W: Work>(isa: I, work: W) -> W::Output {
    isa.perform(work)
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

/// The partial sums where nothing is flushed, and the lowest of the weights, unless they were looked at before.
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
        let mut weights = [[[0.0; LANES]; R]; 2];
        for (r, row) in rows.whole.iter().enumerate() {
            put(&mut weights, r, &unflushed(isa, &row[c], &mut floor));
        }
        add_chunk::<I, W, R, T>(isa, &mut sums, &weights, acts);
    }
    let mut weights = [[[0.0; LANES]; R]; 2];
    for (r, row) in rows.last.iter().enumerate() {
        put(&mut weights, r, &unflushed(isa, row, &mut floor));
    }
    add_chunk::<I, W, R, T>(isa, &mut sums, &weights, last);
    (sums, floor)
}

/// A chunk of weights. Those that are denormal may stay so: the sums of their products are not taken then.
#[inline(always)]
fn unflushed<I: Isa, W: Weight>(isa: I, chunk: &[W; CHUNK], floor: &mut Floor) -> Vectors {
    if !I::LOADS_FIRST {
        W::lower(isa, chunk, floor);
    }
    W::unflushed(isa, chunk)
}

/// The one or two steps of a chunk, if there are any.
#[inline(always)]
fn add_chunk<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    sums: &mut Sums<R, T>,
    weights: &[[Lanes; R]; 2],
    acts: &[[Lanes; T]],
) {
    match acts {
        [] => {}
        [acts] => step::<I, W, R, T>(isa, sums, &weights[0], acts),
        [first, second, ..] => isa.add_two_products(sums, weights, &[*first, *second]),
    }
}

/// The partial sums by steps that flush.
struct Flushed<'a, I, W, const R: usize, const T: usize> {
    isa: I,
    rows: &'a Rows<'a, W, R>,
    acts: &'a [[Lanes; T]],
}

impl<I: Isa, W: Weight, const R: usize, const T: usize> Work for Flushed<'_, I, W, R, T> {
    type Output = Sums<R, T>;

    #[inline(always)]
    fn run(self) -> Sums<R, T> {
        let (mut all, mut floor) = (zeros::<R, T>(), Floor::new());
        for i in 0..R * T {
            let (r, t, mut sums) = (i / T, i % T, [0.0; LANES]);
            let chunks = self.rows.whole[r].iter().chain([&self.rows.last[r]]);
            for (chunk, acts) in chunks.zip(self.acts.chunks(steps::<I, W>())) {
                for (weights, acts) in W::weights(self.isa, chunk, &mut floor).iter().zip(acts) {
                    sums = add_products(&sums, weights, &acts[t]);
                }
            }
            all[r][t] = sums;
        }
        all
    }
}
