//! The road of tiers with dot products of bytes, for any number of activation rows: panels of 32 weight rows as unsigned
//! bytes, built on the fly, with the rows in lanes, and activations streamed past them as the other operand, four bytes
//! of a token at a time in all lanes.
//!
//! A slab of activations stays in the second-level cache, and one panel, a chunk of K deep, in the first: it meets all
//! tokens before the next one is unpacked. Weights are read in the order in which they lie, and asked for long before.
//! What the unsigned form adds to a quant is taken off where sums start, by the sums of the activations. Sub-block
//! scales of K-quants are applied to the exact sums of their parts.

mod panel;
mod tile;
mod tokens;

use std::ops::Range;

use vt_core::{View, ViewMut};

use crate::arch::{Vector, prefetch};
use crate::block::{RowLanes, WeightBlock};

use super::blocks_per_row;
use panel::{Padded, Panel, panel_size};
use tile::{VECTORS, multiply_chunk};
use tokens::{Tokens, groups, token_block_size};

/// Sixteen 32-bit numbers, one for each weight row of a vector.
type Lanes = [i32; 16];

/// Weight rows of a panel.
const ROWS: usize = 16 * VECTORS;

/// Bytes of activations that stay in the cache.
const SLAB: usize = 1 << 20;

/// Tokens that share a slab at most.
const SLAB_TOKENS: usize = 1024;

/// Elements of K in a chunk: a block of K-quants, eight of others.
const CHUNK: usize = 256;

/// Blocks of a chunk.
const fn chunk_blocks<W: WeightBlock>() -> usize {
    CHUNK / W::ELEMS
}

/// Bytes between the weights that are computed and those that are asked for: so far ahead the hardware does not look.
const AHEAD: usize = 16 << 10;

/// Up to so many tokens the next chunk comes so soon that it is not asked for again.
const FEW: usize = 24;

/// Chunks of K in a slab: slabs of about one size.
fn slab_chunks<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    let most = (SLAB / m.clamp(1, SLAB_TOKENS) / CHUNK).max(1);
    let chunks = blocks.div_ceil(chunk_blocks::<W>()).max(1);
    chunks.div_ceil(chunks.div_ceil(most))
}

/// [`Lanes`] of the outputs of a panel and `m` tokens.
fn sums_size(m: usize) -> usize {
    m.min(SLAB_TOKENS) * VECTORS
}

/// [`Lanes`] that one chunk of K takes in a slab of `m` tokens.
fn chunk_size<W: WeightBlock>(m: usize) -> usize {
    (m.min(SLAB_TOKENS) * chunk_blocks::<W>() * token_block_size::<W>()).div_ceil(16)
}

/// The `i32` elements of scratch that [`dots`] needs for `m` activation rows of `k` elements, or fewer rows.
pub fn dots_scratch<W: WeightBlock>(m: usize, k: usize) -> usize {
    16 * (sums_size(m) + panel_size::<W>() + slab_chunks::<W>(m, k / W::ELEMS) * chunk_size::<W>(m))
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. Unpacks the weights once for up to 1024 activation rows. To be called inside `V`'s
/// [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`dots_scratch`] says.
#[inline(always)]
pub fn dots<W: RowLanes, V: Vector>(
    v: V,
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    if blocks == 0 || m == 0 {
        (0..m).for_each(|t| out.row_mut(t).fill(0.0));
        return;
    }
    let (sums, rest) = scratch.as_chunks_mut::<16>().0.split_at_mut(sums_size(m));
    let (panel, slab) = rest.split_at_mut(panel_size::<W>());
    // Scratch that is made for more rows may hold a few chunks less. The depth changes no bit: sums go on where they were.
    let depth = slab_chunks::<W>(m, blocks).min(slab.len() / chunk_size::<W>(m)) * chunk_blocks::<W>();
    let mut padded = [0; size_of::<Padded>()];
    for first in (0..m).step_by(SLAB_TOKENS) {
        let count = SLAB_TOKENS.min(m - first);
        for from in (0..blocks).step_by(depth) {
            let range = from..blocks.min(from + depth);
            let weights = weights.slice_cols(range.start * W::BYTES, range.len() * W::BYTES);
            let tokens = Tokens::<W>::new(acts.slice_rows(first, count), range, slab.as_flattened_mut());
            for row in (0..n).step_by(ROWS) {
                let rows = ROWS.min(n - row);
                prefetch_outputs(out, first..first + count, row + rows);
                let mut out = out.tile(first, count, row, rows);
                load_sums(&out, sums, from == 0);
                let buffers = (&mut *sums, &mut padded, &mut *panel);
                multiply_panel(v, (&weights, row), &tokens, count, buffers);
                store_sums(sums, &mut out);
            }
        }
    }
}

/// The chunks of a slab in ascending order, each with all tokens.
#[inline(always)]
fn multiply_panel<W: RowLanes, V: Vector>(
    v: V,
    (weights, row): (&View<'_, u8>, usize),
    tokens: &Tokens<'_, W>,
    count: usize,
    (sums, padded, panel): (&mut [Lanes], &mut Padded, &mut [Lanes]),
) {
    let rows = weights.slice_rows(row, ROWS.min(weights.rows() - row));
    let bytes = chunk_blocks::<W>() * W::BYTES;
    for from in (0..rows.cols()).step_by(bytes) {
        let chunk = from..rows.cols().min(from + bytes);
        let ahead = ahead(weights, row, &chunk);
        let panel = Panel::<W>::new(v, rows.slice_cols(chunk.start, chunk.len()), ahead, padded, panel);
        let next = next_chunk(weights, row, &(from..from + bytes));
        let mut asked = 0;
        for group in groups(count) {
            // Of many tokens' time, what was asked for before them may have left the cache.
            let due = if count > FEW { (group.0 + group.1) * next.rows() / count } else { 0 };
            (asked..due).for_each(|r| prefetch(next.row(r)));
            asked = due;
            let sums = &mut sums[VECTORS * group.0..][..VECTORS * group.1];
            multiply_chunk(v, &panel, &tokens.chunk(from / W::BYTES, group), sums);
        }
    }
}

/// What is computed after the columns `chunk` of the panel at `row`.
#[inline(always)]
fn next_chunk<'a>(weights: &View<'a, u8>, row: usize, chunk: &Range<usize>) -> View<'a, u8> {
    let (row, from) = if chunk.end < weights.cols() { (row, chunk.end) } else { (row + ROWS, 0) };
    let row = row.min(weights.rows());
    let rows = weights.slice_rows(row, ROWS.min(weights.rows() - row));
    rows.slice_cols(from, chunk.len().min(weights.cols() - from))
}

/// What to ask for while the columns `chunk` of the panel at `row` are computed: as much of a later panel, in the order
/// in which it lies. Where rows lie apart, the same columns of the next panel are asked for at once, and nothing is left.
#[inline(always)]
fn ahead<'a>(weights: &View<'a, u8>, row: usize, chunk: &Range<usize>) -> &'a [u8] {
    let rows_ahead = AHEAD.div_ceil(ROWS * weights.cols()) * ROWS;
    let row = (row + rows_ahead).min(weights.rows());
    let rows = weights.slice_rows(row, ROWS.min(weights.rows() - row));
    match rows.contiguous() {
        Some(bytes) => &bytes[chunk.start * rows.rows()..chunk.end * rows.rows()],
        None => {
            (0..rows.rows()).for_each(|r| prefetch(&rows.row(r)[chunk.clone()]));
            &[]
        }
    }
}

/// Asks for the outputs of the panel at `row`: of different tokens they lie far apart.
#[inline(always)]
fn prefetch_outputs(out: &ViewMut<'_, f32>, tokens: Range<usize>, row: usize) {
    if row < out.cols() {
        tokens.for_each(|t| prefetch(&out.row(t)[row..out.cols().min(row + ROWS)]));
    }
}

/// Puts outputs where the tile wants them; zeros for the `first` slab.
#[inline(always)]
fn load_sums(out: &ViewMut<'_, f32>, sums: &mut [Lanes], first: bool) {
    if first {
        sums[..VECTORS * out.rows()].fill([0; 16]);
        return;
    }
    for group in groups(out.rows()) {
        for t in 0..group.1 {
            for (vector, from) in out.row(group.0 + t).chunks(16).enumerate() {
                copy_lanes(from, &mut sums[sum_of(group, t, vector)], |x| x.to_bits() as i32);
            }
        }
    }
}

#[inline(always)]
fn store_sums(sums: &[Lanes], out: &mut ViewMut<'_, f32>) {
    for group in groups(out.rows()) {
        for t in 0..group.1 {
            for (vector, to) in out.row_mut(group.0 + t).chunks_mut(16).enumerate() {
                copy_lanes(&sums[sum_of(group, t, vector)], to, |x| f32::from_bits(x as u32));
            }
        }
    }
}

/// Copies as many as both have, sixteen at once where they do.
#[inline(always)]
fn copy_lanes<A: Copy, B>(from: &[A], to: &mut [B], change: impl Fn(A) -> B) {
    match (from.first_chunk::<16>(), to.first_chunk_mut::<16>()) {
        (Some(from), Some(to)) => from.iter().zip(to).for_each(|(&from, to)| *to = change(from)),
        _ => from.iter().zip(to).for_each(|(&from, to)| *to = change(from)),
    }
}

/// Where the sums of a group's token and a vector of rows lie.
#[inline(always)]
fn sum_of((first, tokens): (usize, usize), t: usize, vector: usize) -> usize {
    VECTORS * first + vector * tokens + t
}
