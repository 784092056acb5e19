//! Many tokens: weights are unpacked tile by tile into a panel that stays in the first-level cache, activations stream past
//! it from the second-level cache, where the partial sums wait between the blocks of K.

use vt_core::{View, ViewMut};

use crate::arch::Isa;

use super::few::pack;
use super::lanes::{LANES, Lanes};
use super::pairs::{Floor, NO_FLOOR, lowest_exponent};
use super::tile::{Acts, Ahead, Panel, Sums, accumulate};
use super::weight::{CHUNK, Weight, chunks, flushes, steps, vectors};

/// Vectors of a block of K, at most: with eight rows they are half of a first-level cache.
const K_BLOCK: usize = 48;
/// Weight rows in a block: their partial sums with the tokens of a block stay in a second-level cache. A multiple of any R
/// and of sixteen.
const ROW_BLOCK: usize = 96;
/// Tokens in a block, at most.
const TOKEN_BLOCK: usize = 120;
/// Vectors of activations in a block, unless tokens get too few: 4 MB.
const ACTIVATIONS: usize = 64 << 10;
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

/// Any number of tokens, in blocks of tokens.
#[inline(always)]
pub(super) fn many<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    const { assert!(0 < R && R <= MOST_ROWS && ROW_BLOCK % R == 0 && 0 < T && T <= MOST_TOKENS) };
    let blocks = acts.rows().div_ceil(token_block::<I, W>(acts.rows(), acts.cols()));
    let tokens = acts.rows().div_ceil(blocks);
    for m in (0..acts.rows()).step_by(tokens) {
        let tokens = tokens.min(acts.rows() - m);
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
    /// Where token tile `i` starts. Tiles differ by at most one token.
    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        i * self.tokens / self.tiles()
    }

    #[inline(always)]
    fn tiles(&self) -> usize {
        self.tokens.div_ceil(T)
    }

    /// Tile `i` of the block of K that has vectors `at .. at + steps` of each token.
    #[inline(always)]
    fn tile<const WIDTH: usize>(&self, at: usize, steps: usize, i: usize) -> Acts<'a, WIDTH> {
        let vectors = &self.vectors[at * self.tokens + self.start(i) * steps..][..WIDTH * steps];
        Acts { steps: vectors.as_chunks().0, floor: self.floors[i] }
    }

    #[inline(always)]
    fn new<I: Isa, W: Weight>(acts: View<f32>, to: &'a mut [Lanes]) -> Self {
        let mut packed = Self { vectors: &[], tokens: acts.rows(), floors: [NO_FLOOR; TOKEN_BLOCK] };
        let mut rest = &mut *to;
        for (k, len) in k_blocks::<I, W>(acts.cols()) {
            let steps = vectors::<I, W>(len);
            for i in 0..packed.tiles() {
                let (start, end) = (packed.start(i), packed.start(i + 1));
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
        let mut floors = [NO_FLOOR; ROW_BLOCK];
        for (k, len) in k_blocks::<I, W>(weights.cols()) {
            let block = Block { n, rows, k, len };
            multiply_block::<I, W, R, T>(isa, weights, block, &acts, &mut floors, panel, sums);
        }
        write::<I, R, T>(isa, &acts, sums, &mut out.tile(0, acts.tokens, n, rows));
    }
}

/// A block of weights.
#[derive(Clone, Copy)]
struct Block {
    n: usize,
    rows: usize,
    k: usize,
    len: usize,
}

/// Adds a block's products to the sums of all its tiles, row tile by row tile.
#[inline(always)]
fn multiply_block<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    block: Block,
    acts: &Packed<T>,
    floors: &mut [u32; ROW_BLOCK],
    panel: &mut [Lanes],
    sums: &mut [Lanes],
) {
    let (at, steps) = (vectors::<I, W>(block.k), vectors::<I, W>(block.len));
    let panel = &mut panel.as_chunks_mut::<R>().0[..steps];
    for tile in 0..block.rows.div_ceil(R) {
        let floor = unpack(isa, weights, block, tile, panel);
        floors[tile] = floors[tile].min(floor);
        let panel = Panel { steps: panel, floor, floor_so_far: floors[tile] };
        for i in 0..acts.tiles() {
            let (start, end) = (acts.start(i), acts.start(i + 1));
            let sums = &mut sums[(tile * acts.tokens + start) * R..][..(end - start) * R];
            let ahead = ahead::<W, R>(weights, block, tile, [i, acts.tiles()]);
            let first = block.k == 0;
            match end - start {
                1 => accumulate::<I, W, R, 1>(isa, one(sums), first, panel, acts.tile(at, steps, i), ahead),
                2 => accumulate::<I, W, R, 2>(isa, one(sums), first, panel, acts.tile(at, steps, i), ahead),
                3 if T > 3 => accumulate::<I, W, R, 3>(isa, one(sums), first, panel, acts.tile(at, steps, i), ahead),
                _ => accumulate::<I, W, R, T>(isa, one(sums), first, panel, acts.tile(at, steps, i), ahead),
            }
        }
    }
}

/// The sums of one tile.
#[inline(always)]
fn one<const R: usize, const T: usize>(sums: &mut [Lanes]) -> &mut Sums<R, T> {
    &mut sums.as_chunks_mut().0.as_chunks_mut().0[0]
}

/// Unpacks the rows of a tile; where there are no more, the last one again. Returns the lowest exponent, for types that flush.
#[inline(always)]
fn unpack<I: Isa, W: Weight, const R: usize>(
    isa: I,
    weights: View<W>,
    block: Block,
    tile: usize,
    to: &mut [[Lanes; R]],
) -> u32 {
    let mut floor = Floor::new();
    for r in 0..R {
        let row = &weights.row(block.n + (tile * R + r).min(block.rows - 1))[block.k..][..block.len];
        let (whole, last) = chunks(row, W::ABSENT);
        for (chunk, to) in whole.iter().chain(&last).zip(to.chunks_mut(steps::<I, W>())) {
            let vectors = W::weights(isa, chunk, &mut floor);
            for (to, vector) in to.iter_mut().zip(&vectors) {
                to[r] = *vector;
            }
        }
    }
    if flushes::<I, W>() { floor.exponent() } else { NO_FLOOR }
}

/// The weights that are needed after those of a tile: part `i` of so many, along K.
#[inline(always)]
fn ahead<W, const R: usize>(
    weights: View<W>,
    block: Block,
    tile: usize,
    [i, parts]: [usize; 2],
) -> Ahead<W, R> {
    let Block { n, rows, k, len } = block;
    let next = (tile + 1) * R;
    let (n, k) = if next < rows {
        (n + next, k)
    } else if k + len < weights.cols() {
        (n, k + len)
    } else {
        (n + rows, 0)
    };
    let mut ahead = Ahead { rows: [&[]; R], pace: len };
    if n + R > weights.rows() {
        return ahead;
    }
    let len = len.min(weights.cols() - k);
    for r in 0..R {
        ahead.rows[r] = &weights.row(n + r)[k..][i * len / parts..(i + 1) * len / parts];
    }
    Ahead::new(ahead.rows, len / CHUNK)
}

/// Adds the partial sums and writes the outputs, sixteen at a time.
#[inline(always)]
fn write<I: Isa, const R: usize, const T: usize>(
    isa: I,
    acts: &Packed<T>,
    sums: &[Lanes],
    out: &mut ViewMut<f32>,
) {
    for i in 0..acts.tiles() {
        let (start, end) = (acts.start(i), acts.start(i + 1));
        for t in start..end {
            for n in (0..out.cols()).step_by(LANES) {
                let mut rows = [&sums[0]; LANES];
                let count = LANES.min(out.cols() - n);
                for (j, row) in rows.iter_mut().enumerate().take(count) {
                    let (tile, r) = ((n + j) / R, (n + j) % R);
                    *row = &sums[(tile * acts.tokens + start) * R + r * (end - start) + t - start];
                }
                let totals = isa.add_trees(&rows);
                out.row_mut(t)[n..n + count].copy_from_slice(&totals[..count]);
            }
        }
    }
}
