//! Many tokens: weights are unpacked tile by tile, beside the products of the first tokens, into a panel that stays in the
//! first-level cache, or stay there as they lie; activations stream past them from the second-level cache, where the partial
//! sums wait between the blocks of K.

use vt_core::{View, ViewMut};

use crate::arch::{Isa, prefetch};

use super::few::pack;
use super::lanes::{LANES, Lanes};
use super::pairs::{NO_FLOOR, lowest_exponent};
use super::panel::{Rows, suits};
use super::tile::{Acts, Source, Sums, accumulate, line, unpack_and_accumulate, unpacks_beside};
use super::weight::{CHUNK, Weight, flushes, vectors};

/// Vectors of a block of K, at most: of six rows they fill half of a first-level cache.
const K_BLOCK: usize = 64;
/// Weight rows whose partial sums are added at once: a multiple of any R, and of sixteen.
const ROW_BLOCK: usize = 48;
/// Tokens in a block, at most.
const TOKEN_BLOCK: usize = 120;
/// Vectors of activations in a block, unless tokens get too few: 768 KB, for more than 1 MB do not stay in a second-level
/// cache of 2 MB beside everything else.
const ACTIVATIONS: usize = 12 << 10;
/// Tokens in a block, if there are so many, however long their rows.
const LEAST_TOKENS: usize = 24;
/// The most rows and tokens of a tile.
const MOST_ROWS: usize = 8;
const MOST_TOKENS: usize = 4;

/// The vectors of scratch for so many tokens, or fewer.
pub(super) fn many_scratch<I: Isa, W: Weight>(tokens: usize, k: usize) -> usize {
    let tokens = token_block::<I, W>(tokens, k);
    tokens * vectors::<I, W>(k) + MOST_ROWS * K_BLOCK + tokens * ROW_BLOCK
}

fn token_block<I: Isa, W: Weight>(tokens: usize, k: usize) -> usize {
    let fit = ACTIVATIONS / vectors::<I, W>(k).max(1);
    tokens.min(fit.clamp(LEAST_TOKENS, TOKEN_BLOCK))
}

/// Any number of tokens but very few, in blocks of tokens: of at least two tiles each, of which all but the last one are whole.
#[inline(always)]
pub(super) fn many<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    const { assert!(0 < R && R <= MOST_ROWS && ROW_BLOCK.is_multiple_of(R) && 0 < T && T <= MOST_TOKENS) };
    let tiles = acts.rows().div_ceil(T);
    let most = token_block::<I, W>(acts.rows(), acts.cols());
    let blocks = if most == acts.rows() { 1 } else { tiles.div_ceil(most / T) };
    for block in 0..blocks {
        let m = block * tiles / blocks * T;
        let tokens = ((block + 1) * tiles / blocks * T).min(acts.rows()) - m;
        let out = &mut out.tile(m, tokens, 0, weights.rows());
        token_rows::<I, W, R, T>(isa, weights, acts.slice_rows(m, tokens), out, scratch);
    }
}

/// The packed activations of a block of tokens.
struct Packed<'a, const T: usize> {
    /// Block of K after block of K, in each token tile after token tile.
    vectors: &'a [Lanes],
    tokens: usize,
    /// The lowest exponents of the token tiles.
    floors: [u32; TOKEN_BLOCK],
}

impl<'a, const T: usize> Packed<'a, T> {
    /// Where token tile `i` starts and ends.
    #[inline(always)]
    fn span(&self, i: usize) -> (usize, usize) {
        (i * T, self.tokens.min(i * T + T))
    }

    #[inline(always)]
    fn tiles(&self) -> usize {
        self.tokens.div_ceil(T)
    }

    /// Tile `i` of the block of K that has vectors `at .. at + steps` of each token.
    #[inline(always)]
    fn tile<const WIDTH: usize>(&self, at: usize, steps: usize, i: usize) -> Acts<'a, WIDTH> {
        let vectors = &self.vectors[at * self.tokens + i * T * steps..][..WIDTH * steps];
        Acts { steps: vectors.as_chunks().0, floor: self.floors[i] }
    }

    #[inline(always)]
    fn new<I: Isa, W: Weight>(acts: View<f32>, to: &'a mut [Lanes]) -> Self {
        let mut packed = Self { vectors: &[], tokens: acts.rows(), floors: [NO_FLOOR; TOKEN_BLOCK] };
        let mut rest = &mut *to;
        for (k, len) in k_blocks::<I, W>(acts.cols()) {
            let steps = vectors::<I, W>(len);
            for i in 0..packed.tiles() {
                let (start, end) = packed.span(i);
                let acts = acts.slice_rows(start, end - start).slice_cols(k, len);
                let (tile, others) = std::mem::take(&mut rest).split_at_mut(acts.rows() * steps);
                match acts.rows() {
                    1 => pack_tile::<I, W, 1>(acts, tile),
                    2 => pack_tile::<I, W, 2>(acts, tile),
                    3 => pack_tile::<I, W, 3>(acts, tile),
                    _ => pack_tile::<I, W, 4>(acts, tile),
                }
                if flushes::<I, W>() {
                    packed.floors[i] = packed.floors[i].min(lowest_exponent(tile));
                }
                rest = others;
            }
        }
        packed.vectors = to;
        packed
    }
}

#[inline(always)]
fn pack_tile<I: Isa, W: Weight, const T: usize>(acts: View<f32>, to: &mut [Lanes]) {
    for t in 0..T {
        pack::<I, W, T>(acts.row(t), t, to.as_chunks_mut().0);
    }
}

/// Where blocks of K start, and their lengths: alike, but for the last one.
#[inline(always)]
fn k_blocks<I: Isa, W: Weight>(k: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = vectors::<I, W>(k).div_ceil(K_BLOCK).max(1);
    let length = k.div_ceil(blocks).next_multiple_of(CHUNK).max(CHUNK);
    (0..k.max(1)).step_by(length).map(move |from| (from, length.min(k - from)))
}

/// All weight rows for a block of tokens.
#[inline(always)]
fn token_rows<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let (packed, scratch) = scratch.split_at_mut(acts.rows() * vectors::<I, W>(acts.cols()));
    let (panel, sums) = scratch.split_at_mut(R * K_BLOCK);
    let acts = Packed::<T>::new::<I, W>(acts, packed);
    for n in (0..weights.rows()).step_by(ROW_BLOCK) {
        let rows = ROW_BLOCK.min(weights.rows() - n);
        for (tile, sums) in sums.chunks_exact_mut(R * acts.tokens).enumerate().take(rows.div_ceil(R)) {
            multiply_rows::<I, W, R, T>(isa, weights, n + tile * R, &acts, panel, sums);
        }
        write::<I, R, T>(isa, &acts, sums, &mut out.tile(0, acts.tokens, n, rows));
    }
}

/// The partial sums of the row tile that starts at row `n`.
#[inline(always)]
fn multiply_rows<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    n: usize,
    acts: &Packed<T>,
    panel: &mut [Lanes],
    sums: &mut [Lanes],
) {
    let mut floor = NO_FLOOR;
    for (k, len) in k_blocks::<I, W>(weights.cols()) {
        let (at, steps, first) = (vectors::<I, W>(k), vectors::<I, W>(len), k == 0);
        let ahead = |i| ahead::<W, R>(weights, n, k + len, len, [i, acts.tiles()]);
        let rows = Rows::new(weights.slice_cols(k, len), n);
        let (mut source, mut done) = (Source::Rows(&rows), 0);
        if !suits::<I, W>(weights) {
            let to = &mut panel.as_chunks_mut::<R>().0[..steps];
            let panel = if const { unpacks_beside::<I, W>() } {
                done = 1;
                let acts = acts.tile::<T>(at, steps, 0);
                unpack_and_accumulate::<I, W, R, T>(isa, one(sums), first, &rows, to, acts, ahead(0))
            } else {
                rows.unpack(isa, to, floor)
            };
            floor = panel.floor_so_far;
            source = Source::Panel(panel);
        }
        for i in done..acts.tiles() {
            let (start, end) = acts.span(i);
            let (sums, ahead) = (&mut sums[start * R..end * R], ahead(i));
            match end - start {
                1 if T > 1 => accumulate::<I, W, R, 1>(isa, one(sums), first, source, acts.tile(at, steps, i), ahead),
                2 if T > 2 => accumulate::<I, W, R, 2>(isa, one(sums), first, source, acts.tile(at, steps, i), ahead),
                3 if T > 3 => accumulate::<I, W, R, 3>(isa, one(sums), first, source, acts.tile(at, steps, i), ahead),
                _ => accumulate::<I, W, R, T>(isa, one(sums), first, source, acts.tile(at, steps, i), ahead),
            }
        }
    }
}

/// The sums of one tile.
#[inline(always)]
fn one<const R: usize, const T: usize>(sums: &mut [Lanes]) -> &mut Sums<R, T> {
    &mut sums.as_chunks_mut().0.as_chunks_mut().0[0]
}

/// What token tile `i` of so many asks for of the weights that are needed next: those behind `k` in the R rows from `n` on, or
/// else the first ones of the next rows, `len` elements of each. Many tiles ask for a part of a row each, line by line beside
/// their work; few tiles would be done too soon, and ask for all lines of some rows at once.
#[inline(always)]
fn ahead<'a, W, const R: usize>(
    weights: View<'a, W>,
    n: usize,
    k: usize,
    len: usize,
    [i, tiles]: [usize; 2],
) -> &'a [W] {
    let (n, k) = if k < weights.cols() { (n, k) } else { (n + R, 0) };
    if n + R > weights.rows() {
        return &[];
    }
    let weights = weights.slice_rows(n, R).slice_cols(k, len.min(weights.cols() - k));
    if tiles < R {
        for r in i * R / tiles..(i + 1) * R / tiles {
            prefetch(weights.row(r));
        }
        return &[];
    }
    let parts = tiles / R;
    let part = weights.cols().div_ceil(parts).next_multiple_of(line::<W>());
    let row = if i < parts * R { weights.row(i / parts) } else { &[] };
    let from = row.len().min(i % parts * part);
    &row[from..row.len().min(from + part)]
}

/// Adds the partial sums and writes the outputs, sixteen at a time.
#[inline(always)]
fn write<I: Isa, const R: usize, const T: usize>(isa: I, acts: &Packed<T>, sums: &[Lanes], out: &mut ViewMut<f32>) {
    for i in 0..acts.tiles() {
        let (start, end) = acts.span(i);
        for n in (0..out.cols()).step_by(LANES) {
            let count = LANES.min(out.cols() - n);
            let mut places = [0; LANES];
            for (j, place) in places.iter_mut().enumerate().take(count) {
                let (tile, r) = ((n + j) / R, (n + j) % R);
                *place = (tile * acts.tokens + start) * R + r * (end - start);
            }
            for t in start..end {
                let mut rows = [&sums[0]; LANES];
                for (row, place) in rows.iter_mut().zip(places) {
                    *row = &sums[place + t - start];
                }
                let totals = isa.add_trees(&rows);
                out.row_mut(t)[n..n + count].copy_from_slice(&totals[..count]);
            }
        }
    }
}
