//! The road of tiers with tiles, for many activation rows: sixteen of them by sixteen weight rows at a time.
//!
//! Slabs, chunks and panels are those of [`dots`](super::dots), and so is the form of a panel's quants: what a vector
//! holds is a row of a tile. Blocks of 256 are one sum of integers each. Where quants times the scales of their parts take
//! more than eight bits they are two bytes, each with a sum of its own: products cost little here, and scales of 16 or
//! 32 elements much.

mod multiply;
mod panel;
mod tokens;

use vt_core::{View, ViewMut};

use crate::arch::{Amx, Avx512, Sums, Tiles, Vector, prefetch};
use crate::block::{RowLanes, WeightBlock};

use super::ahead::{ahead, next_chunk, panel_rows};
use super::blocks_per_row;
use super::dots::{Padded, load_lanes, store_lanes};
use multiply::{Multiplier, TileSums};
use panel::{Panel, panel_size};
use tokens::{Tokens, tile_block_size};

/// Sixteen 32-bit numbers: a row of a tile.
type Lanes = [i32; 16];

/// Tokens of a tile, and weight rows.
const TILE: usize = 16;

/// Vectors of weight rows in a panel.
const VECTORS: usize = 2;

/// Bytes of activations that stay in the cache, with their scales.
const SLAB: usize = 11 << 17;

/// Tokens that share a slab, at least and at most: with fewer of them weights are unpacked more often, with more of them
/// outputs are written more often.
const SLAB_TOKENS: [usize; 2] = [128, 256];

/// Elements of K in a chunk.
const CHUNK: usize = 256;

const fn chunk_blocks<W: WeightBlock>() -> usize {
    CHUNK / W::ELEMS
}

/// Tokens that share a slab at most, of `m` with so many blocks.
fn most_slab_tokens<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    let [least, most] = SLAB_TOKENS;
    let bytes = blocks * tile_block_size::<W>() * size_of::<Lanes>() / TILE;
    m.min((SLAB / bytes.max(1)).clamp(least, most) / (2 * TILE) * (2 * TILE))
}

/// Tokens that share a slab: slabs of about one size, in pairs of tiles.
fn slab_tokens<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    let most = most_slab_tokens::<W>(m, blocks);
    m.div_ceil(m.div_ceil(most)).next_multiple_of(2 * TILE).min(most)
}

/// Chunks of K in a slab of so many tokens: slabs of about one size.
fn slab_chunks<W: WeightBlock>(tokens: usize, blocks: usize) -> usize {
    let most = (SLAB / (chunk_size::<W>(tokens) * size_of::<Lanes>()).max(1)).max(1);
    let chunks = blocks.div_ceil(chunk_blocks::<W>()).max(1);
    chunks.div_ceil(chunks.div_ceil(most))
}

/// [`Lanes`] of the outputs of a panel and so many tokens.
fn sums_size(tokens: usize) -> usize {
    tokens.next_multiple_of(TILE) * VECTORS
}

/// [`Lanes`] that one chunk of K takes in a slab of so many tokens.
fn chunk_size<W: WeightBlock>(tokens: usize) -> usize {
    tokens.div_ceil(TILE) * chunk_blocks::<W>() * tile_block_size::<W>()
}

/// The `i32` elements of scratch that [`tiles`] needs for `m` activation rows of `k` elements, or fewer rows.
pub fn tiles_scratch<W: RowLanes>(m: usize, k: usize) -> usize {
    in_panels_scratch::<<Avx512 as Vector>::InPanels<W>>(m, k)
}

fn in_panels_scratch<W: WeightBlock>(m: usize, k: usize) -> usize {
    let blocks = k / W::ELEMS;
    let tokens = most_slab_tokens::<W>(m, blocks);
    let slab = slab_chunks::<W>(tokens, blocks) * chunk_size::<W>(tokens);
    16 * (sums_size(tokens) + panel_size::<W>() + slab)
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. To be called inside [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`tiles_scratch`] says.
#[inline(always)]
pub fn tiles<W: RowLanes>(
    isa: Amx,
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    if blocks == 0 || out.rows() == 0 {
        (0..out.rows()).for_each(|t| out.row_mut(t).fill(0.0));
    } else {
        by_panels::<<Avx512 as Vector>::InPanels<W>>(isa, &weights, &acts, out, scratch);
    }
}

#[inline(always)]
fn by_panels<W: RowLanes>(
    isa: Amx,
    weights: &View<'_, u8>,
    acts: &View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let (m, n, blocks) = (acts.rows(), weights.rows(), weights.cols() / W::BYTES);
    let slab_tokens = slab_tokens::<W>(m, blocks);
    let (sums, rest) = scratch.as_chunks_mut::<16>().0.split_at_mut(sums_size(slab_tokens));
    let (panel, slab) = rest.split_at_mut(panel_size::<W>());
    // Scratch that is made for more rows may hold a few chunks less. The depth changes no bit: sums go on where they were.
    let chunks = slab_chunks::<W>(slab_tokens, blocks).min(slab.len() / chunk_size::<W>(slab_tokens));
    let depth = chunks * chunk_blocks::<W>();
    let (mut padded, mut ints) = ([0; size_of::<Padded>()], [Sums([[0; 16]; 16]); 4]);
    let tiles = &Tiles::new(isa, W::ELEMS.min(64));
    let mut multiplier = Multiplier { v: isa.vectors(), tiles, ints: &mut ints };
    for first in (0..m).step_by(slab_tokens) {
        let count = slab_tokens.min(m - first);
        let sums = sums.as_chunks_mut().0.as_chunks_mut().0;
        let sums = &mut sums[..count.div_ceil(TILE)];
        for from in (0..blocks).step_by(depth) {
            let range = from..blocks.min(from + depth);
            let weights = weights.slice_cols(range.start * W::BYTES, range.len() * W::BYTES);
            let tokens = Tokens::<W>::new(acts.slice_rows(first, count), range, slab);
            for row in (0..n).step_by(VECTORS * TILE) {
                let mut out = out.tile(first, count, row, (VECTORS * TILE).min(n - row));
                if from == 0 {
                    sums.as_flattened_mut().as_flattened_mut().fill([0; 16]);
                } else {
                    load_sums(multiplier.v, &out, sums);
                }
                multiply_panel(&mut multiplier, (&weights, row), &tokens, &out, (sums, &mut padded, panel));
                store_sums(multiplier.v, sums, &mut out);
            }
        }
    }
}

/// The chunks of a slab in ascending order, each with all tokens.
#[inline(always)]
fn multiply_panel<W: RowLanes>(
    multiplier: &mut Multiplier<'_>,
    (weights, row): (&View<'_, u8>, usize),
    tokens: &Tokens<'_, W>,
    out: &ViewMut<'_, f32>,
    (sums, padded, panel): (&mut [[TileSums; VECTORS]], &mut Padded, &mut [Lanes]),
) {
    let rows = panel_rows::<VECTORS>(weights, row);
    let count = out.rows();
    let bytes = chunk_blocks::<W>() * W::BYTES;
    let steps = rows.cols().div_ceil(bytes) * sums.len().div_ceil(2);
    let (mut step, mut asked_outputs) = (0, 0);
    for from in (0..rows.cols()).step_by(bytes) {
        let chunk = from..rows.cols().min(from + bytes);
        let ahead = ahead::<VECTORS>(weights, row, &chunk);
        let next = next_chunk::<VECTORS>(weights, row, &(from..from + bytes));
        let panel = Panel::<W>::new(multiplier.v, rows.slice_cols(chunk.start, chunk.len()), ahead, padded, panel);
        let mut asked = 0;
        for (pair, sums) in sums.chunks_mut(2).enumerate() {
            let tokens_after = ((pair + 1) * 2 * TILE).min(count);
            // Of many tokens' time, what was asked for before them may have left the cache.
            let due = tokens_after * next.rows() / count;
            (asked..due).for_each(|r| prefetch(next.row(r)));
            asked = due;
            // Outputs lie far apart; all of them at once would be more than the processor keeps track of.
            step += 1;
            let due = step * count / steps;
            (asked_outputs..due).for_each(|t| prefetch(out.row(t)));
            asked_outputs = due;
            multiplier.chunk(&panel, (tokens, from / W::BYTES, 2 * pair), sums);
        }
    }
}

/// Puts outputs where tiles want them.
#[inline(always)]
fn load_sums(v: Avx512, out: &ViewMut<'_, f32>, sums: &mut [[TileSums; VECTORS]]) {
    for t in 0..out.rows() {
        for (from, sums) in out.row(t).chunks(TILE).zip(&mut sums[t / TILE]) {
            load_lanes(v, from, &mut sums[t % TILE]);
        }
    }
}

/// And back.
#[inline(always)]
fn store_sums(v: Avx512, sums: &[[TileSums; VECTORS]], out: &mut ViewMut<'_, f32>) {
    for t in 0..out.rows() {
        for (to, sums) in out.row_mut(t).chunks_mut(TILE).zip(&sums[t / TILE]) {
            store_lanes(v, &sums[t % TILE], to);
        }
    }
}
