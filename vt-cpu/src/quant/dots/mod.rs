//! The road for many activation rows on tiers with dot products of bytes: panels of 32 weight rows as unsigned bytes,
//! built on the fly, with the rows in lanes, and activations streamed past them as the other operand, four bytes of a
//! token at a time in all lanes.
//!
//! A slab of activations and one panel stay in the second-level cache, and one chunk of a panel in the first: it meets
//! all tokens before the next one is read. What the unsigned form adds to a quant is taken off where sums start, by the
//! sums of the activations. Sub-block scales of K-quants are applied to the exact sums of their parts.

mod panel;
mod tile;
mod tokens;

use vt_core::{View, ViewMut};

use crate::arch::{Vector, prefetch};
use crate::block::WeightBlock;

use super::blocks_per_row;
use panel::{Panel, panel_block_size};
use tile::{VECTORS, multiply_chunk};
use tokens::{TOKENS, Tokens, token_block_size};

/// Sixteen 32-bit numbers, one for each weight row of a vector.
type Lanes = [i32; 16];

/// Weight rows of a panel.
const ROWS: usize = 16 * VECTORS;

/// Bytes of activations that stay in the cache.
const SLAB: usize = 1 << 19;

/// Elements of K in a slab at most.
const SLAB_DEPTH: usize = 4096;

/// Tokens that share a slab at most.
const SLAB_TOKENS: usize = 1024;

/// Elements of K in a chunk: a block of K-quants, eight of others.
const CHUNK: usize = 256;

/// Blocks of a chunk.
const fn chunk_blocks<W: WeightBlock>() -> usize {
    CHUNK / W::ELEMS
}

/// Chunks of K in a slab: slabs of about one size.
fn slab_chunks<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    let most = ((SLAB / m.clamp(1, SLAB_TOKENS)).min(SLAB_DEPTH) / CHUNK).max(1);
    let chunks = blocks.div_ceil(chunk_blocks::<W>()).max(1);
    chunks.div_ceil(chunks.div_ceil(most))
}

/// [`Lanes`] of the outputs of a panel and `m` tokens.
fn sums_size(m: usize) -> usize {
    m.min(SLAB_TOKENS).next_multiple_of(TOKENS) * VECTORS
}

/// [`Lanes`] that one chunk of K takes in a slab of `m` tokens.
fn chunk_size<W: WeightBlock>(m: usize) -> usize {
    let tokens = m.min(SLAB_TOKENS).next_multiple_of(TOKENS) * token_block_size::<W>();
    chunk_blocks::<W>() * (tokens.div_ceil(16) + VECTORS * panel_block_size::<W>())
}

/// The `i32` elements of scratch that [`dots`] needs for `m` activation rows of `k` elements, or fewer rows.
pub fn dots_scratch<W: WeightBlock>(m: usize, k: usize) -> usize {
    16 * (sums_size(m) + slab_chunks::<W>(m, k / W::ELEMS) * chunk_size::<W>(m))
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. Unpacks the weights once for up to 1024 activation rows. To be called inside `V`'s
/// [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`dots_scratch`] says.
#[inline(always)]
pub fn dots<W: WeightBlock, V: Vector>(
    v: V,
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    if blocks == 0 {
        (0..m).for_each(|t| out.row_mut(t).fill(0.0));
        return;
    }
    let (sums, rest) = scratch.as_chunks_mut::<16>().0.split_at_mut(sums_size(m));
    // Scratch that is made for more rows may hold a few chunks less. The depth changes no bit: sums go on where they were.
    let depth = slab_chunks::<W>(m, blocks).min(rest.len() / chunk_size::<W>(m));
    let (panel, tokens) = rest.split_at_mut(depth * chunk_blocks::<W>() * VECTORS * panel_block_size::<W>());
    let slab = depth * chunk_blocks::<W>();
    for first in (0..m).step_by(SLAB_TOKENS) {
        let count = SLAB_TOKENS.min(m - first);
        for from in (0..blocks).step_by(slab) {
            let range = from..blocks.min(from + slab);
            let tokens = Tokens::<W>::new(acts.slice_rows(first, count), range.clone(), tokens.as_flattened_mut());
            for row in (0..n).step_by(ROWS) {
                let rows = ROWS.min(n - row);
                let panel = Panel::<W>::new(v, weights.slice_rows(row, rows), range.clone(), panel);
                prefetch_rows::<W>(&weights, row + ROWS, &range);
                let mut out = out.tile(first, count, row, rows);
                load_sums(&out, sums, from == 0);
                multiply_slab(v, &panel, &tokens, sums);
                store_sums(sums, &mut out);
            }
        }
    }
}

/// Asks for the next panel's blocks.
#[inline(always)]
fn prefetch_rows<W: WeightBlock>(weights: &View<'_, u8>, row: usize, blocks: &std::ops::Range<usize>) {
    for row in row..weights.rows().min(row + ROWS) {
        prefetch(&weights.row(row)[blocks.start * W::BYTES..blocks.end * W::BYTES]);
    }
}

/// The chunks of a slab in ascending order, each with all tokens.
#[inline(always)]
fn multiply_slab<W: WeightBlock, V: Vector>(v: V, panel: &Panel<'_, W>, tokens: &Tokens<'_, W>, sums: &mut [Lanes]) {
    for chunk in 0..tokens.chunks() {
        let weights = panel.chunk(chunk);
        for (group, sums) in sums.as_chunks_mut::<{ VECTORS * TOKENS }>().0.iter_mut().enumerate().take(tokens.groups())
        {
            multiply_chunk::<W, V>(v, &weights, &tokens.chunk(chunk, group), sums);
        }
    }
}

/// Puts outputs where the tile wants them: of each group of tokens first those of one vector of rows, then the other's.
#[inline(always)]
fn load_sums(out: &ViewMut<'_, f32>, sums: &mut [Lanes], first: bool) {
    for t in 0..out.rows() {
        // Outputs lie far apart, and are written when the panel is done.
        prefetch(out.row(t));
        for vector in 0..VECTORS {
            let lanes = &mut sums[sum_of(t, vector)];
            *lanes = [0; 16];
            if !first {
                let from = out.row(t).iter().skip(16 * vector);
                lanes.iter_mut().zip(from).for_each(|(to, from)| *to = from.to_bits() as i32);
            }
        }
    }
}

#[inline(always)]
fn store_sums(sums: &[Lanes], out: &mut ViewMut<'_, f32>) {
    for t in 0..out.rows() {
        for vector in 0..VECTORS {
            let to = out.row_mut(t).iter_mut().skip(16 * vector);
            to.zip(&sums[sum_of(t, vector)]).for_each(|(to, &from)| *to = f32::from_bits(from as u32));
        }
    }
}

/// Where the sums of a token and a vector of rows lie.
#[inline(always)]
fn sum_of(t: usize, vector: usize) -> usize {
    t / TOKENS * (TOKENS * VECTORS) + vector * TOKENS + t % TOKENS
}
