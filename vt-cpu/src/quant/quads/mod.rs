//! The road of tiers with registers of four lanes, for any number of activation rows: panels of sixteen weight rows as signed
//! bytes, built on the fly four rows at a time, and tiles of eight rows by a few tokens that stay in registers.
//!
//! A slab of activations stays in the second-level cache, and one panel, a chunk of K deep, in the first: it meets all
//! tokens before the next one is unpacked. Weights are read in the order in which they lie, and asked for before.
//! Sub-block scales of K-quants are applied to the exact sums of their parts, as integers; minima are multiplied with sums of
//! activations as quants are with activations.

mod direct;
mod panel;
mod tile;
mod tokens;

use vt_core::{View, ViewMut};

use crate::arch::{Quad, Quads};
use crate::block::{RowLanes, WeightBlock};

use super::ahead::{ahead, panel_rows};
use super::blocks_per_row;
use panel::{Padded, Panel, panel_size};
use tile::multiply_group;
use tokens::{Tokens, groups, token_block_size};

/// Weight rows of a tile.
const ROWS: usize = 8;

/// Tiles of a panel.
const TILES: usize = 2;

/// Weight rows of a panel: those of one vector.
const PANEL: usize = TILES * ROWS;

/// Bytes of activations that stay in the cache.
const SLAB: usize = 1 << 19;

/// Tokens that share a slab at most.
const fn most_tokens<V: Quads>() -> usize {
    512 / V::SPREAD
}

/// Elements of K in a chunk.
const CHUNK: usize = 512;

/// From so many tokens on it pays to multiply quants with the scales of their parts.
const FOLD: usize = 8;

/// Blocks of a chunk.
const fn chunk_blocks<W: WeightBlock>() -> usize {
    CHUNK / W::ELEMS
}

/// Registers of sums that a tile has of each column of tokens.
const fn registers<V: Quads>() -> usize {
    2 * V::TOKENS
}

/// Tokens of a slab: whole columns.
fn slab_tokens<V: Quads>(m: usize) -> usize {
    m.min(most_tokens::<V>()).next_multiple_of(V::TOKENS)
}

/// Chunks of K in a slab: slabs of about one size.
fn slab_chunks<W: WeightBlock, V: Quads>(m: usize, blocks: usize) -> usize {
    let most = (SLAB / (slab_tokens::<V>(m.max(1)) * V::SPREAD) / CHUNK).max(1);
    let chunks = blocks.div_ceil(chunk_blocks::<W>()).max(1);
    chunks.div_ceil(chunks.div_ceil(most))
}

/// The `i32` elements that one chunk of K takes in a slab of `m` tokens.
fn chunk_size<W: WeightBlock, V: Quads>(m: usize) -> usize {
    slab_tokens::<V>(m) * chunk_blocks::<W>() * token_block_size::<W, V>()
}

/// The `i32` elements of scratch that [`quads`] needs for `m` activation rows of `k` elements, or fewer rows.
pub fn quads_scratch<W: RowLanes, V: Quads>(m: usize, k: usize) -> usize {
    let plain = if folds::<W, V>() { scratch::<W, V>(m.min(FOLD), k) } else { 0 };
    plain.max(scratch::<V::InPanels<W>, V>(m, k)).max(direct::scratch::<W, V>(k / W::ELEMS))
}

fn scratch<W: RowLanes, V: Quads>(m: usize, k: usize) -> usize {
    let slab = slab_chunks::<W, V>(m, k / W::ELEMS) * chunk_size::<W, V>(m);
    slab_tokens::<V>(m) * PANEL + 4 * panel_size::<W, V>() + slab.next_multiple_of(4)
}

/// Whether panels of many tokens have another form.
const fn folds<W: RowLanes, V: Quads>() -> bool {
    W::FOLDED != <V::InPanels<W> as WeightBlock>::FOLDED
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`, by tiles of up to T columns of tokens in R registers each. Unpacks the weights once for up to 512
/// activation rows (NEON: 128). To be called inside `V`'s [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`quads_scratch`] says.
#[inline(always)]
pub fn quads<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    const { assert!(R == registers::<V>() && T <= tile::MAX_COLUMNS) };
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    if blocks == 0 {
        (0..m).for_each(|t| out.row_mut(t).fill(0.0));
    } else if m == 1 && n >= direct::ROWS && direct::suits::<W, V>(acts.row(0)) {
        direct::direct::<W, V>(v, &weights, acts.row(0), out, scratch);
    } else if folds::<W, V>() && m < FOLD {
        by_panels::<W, V, R, T>(v, &weights, &acts, out, scratch);
    } else {
        by_panels::<V::InPanels<W>, V, R, T>(v, &weights, &acts, out, scratch);
    }
}

#[inline(always)]
fn by_panels<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    weights: &View<'_, u8>,
    acts: &View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let (m, n, blocks) = (acts.rows(), weights.rows(), weights.cols() / W::BYTES);
    let (sums, rest) = scratch.as_chunks_mut().0.split_at_mut(slab_tokens::<V>(m) * PANEL / 4);
    let (panel, slab) = rest.split_at_mut(panel_size::<W, V>());
    // Scratch that is made for more rows may hold a few chunks less. The depth changes no bit: sums go on where they were.
    let depth = slab_chunks::<W, V>(m, blocks).min(4 * slab.len() / chunk_size::<W, V>(m).max(1)) * chunk_blocks::<W>();
    for first in (0..m).step_by(most_tokens::<V>()) {
        let count = most_tokens::<V>().min(m - first);
        let sums = &mut sums[..slab_tokens::<V>(count) * PANEL / 4];
        for from in (0..blocks).step_by(depth) {
            let range = from..blocks.min(from + depth);
            let weights = weights.slice_cols(range.start * W::BYTES, range.len() * W::BYTES);
            let tokens = Tokens::<W, V>::new::<T>(acts.slice_rows(first, count), range, slab.as_flattened_mut());
            for row in (0..n).step_by(PANEL) {
                let mut out = out.tile(first, count, row, PANEL.min(n - row));
                sums.fill([0; 4]);
                if from > 0 {
                    load_sums(&out, sums);
                }
                multiply_panel::<W, V, R, T>(v, (&weights, row), &tokens, sums, panel);
                store_sums(sums, &mut out);
            }
        }
    }
}

/// The chunks of a slab in ascending order, each with all tokens.
#[inline(always)]
fn multiply_panel<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    (weights, row): (&View<'_, u8>, usize),
    tokens: &Tokens<'_, W, V>,
    sums: &mut [Quad],
    panel: &mut [Quad],
) {
    let rows = panel_rows::<1>(weights, row);
    let bytes = chunk_blocks::<W>() * W::BYTES;
    let mut padded = [0; size_of::<Padded>()];
    for from in (0..rows.cols()).step_by(bytes) {
        let chunk = from..rows.cols().min(from + bytes);
        let ahead = ahead::<1>(weights, row, &chunk);
        let panel = Panel::<W, V>::new(v, rows.slice_cols(chunk.start, chunk.len()), ahead, &mut padded, panel);
        for group in groups::<T>(tokens.columns()) {
            let acts = tokens.chunk(from / W::BYTES, group);
            let tiles = sums.chunks_exact_mut(tokens.columns() * R).take(rows.rows().div_ceil(ROWS));
            for (tile, sums) in tiles.enumerate() {
                let sums = &mut sums[group.0 * R..][..group.1 * R];
                multiply_group::<W, V, R, T>(v, panel.tile(tile), acts, sums, tokens.least());
            }
        }
    }
}

/// Puts outputs where the tiles want them: tile after tile, in each eight rows of each token.
#[inline(always)]
fn load_sums(out: &ViewMut<'_, f32>, sums: &mut [Quad]) {
    for (tile, sums) in sums.chunks_exact_mut(sums.len() / TILES).enumerate() {
        for (t, sums) in sums.as_chunks_mut::<{ ROWS / 4 }>().0.iter_mut().enumerate().take(out.rows()) {
            let from = out.row(t).chunks(ROWS).nth(tile).unwrap_or_default();
            sums.as_flattened_mut().iter_mut().zip(from).for_each(|(to, from)| *to = from.to_bits() as i32);
        }
    }
}

/// And back.
#[inline(always)]
fn store_sums(sums: &[Quad], out: &mut ViewMut<'_, f32>) {
    for (tile, sums) in sums.chunks_exact(sums.len() / TILES).enumerate() {
        for (t, sums) in sums.as_chunks::<{ ROWS / 4 }>().0.iter().enumerate().take(out.rows()) {
            let to = out.row_mut(t).chunks_mut(ROWS).nth(tile).unwrap_or_default();
            to.iter_mut().zip(sums.as_flattened()).for_each(|(to, from)| *to = f32::from_bits(*from as u32));
        }
    }
}
