//! The road of tiers with dot products of bytes, for any number of activation rows: panels of R vectors of 16 weight rows as
//! unsigned bytes, built on the fly, with the rows in lanes, and tiles of up to T activation rows streamed past them as
//! the other operand, four bytes of a token at a time in all lanes.
//!
//! A slab of activations stays in the second-level cache, and one panel, a chunk of K deep, in the first: it meets all
//! tokens before the next one is unpacked. Weights are read in the order in which they lie, and asked for long before.
//! What the unsigned form adds to a quant is taken off where sums start, by the sums of the activations. Sub-block
//! scales of K-quants are applied to the exact sums of their parts.

mod direct;
mod panel;
mod sums;
mod tile;
mod tokens;

use vt_core::{View, ViewMut};

use crate::arch::{Vector, prefetch};
use crate::block::{RowLanes, WeightBlock};

use super::ahead::{ahead, next_chunk, panel_rows};
use super::blocks_per_row;
pub(super) use panel::{Padded, sixteen, store_floats, store_minima};
use panel::{Panel, panel_size};
use sums::{Place, TileSums};
pub(super) use tile::floats;
use tile::{MAX_TOKENS, multiply_chunk};
use tokens::{Tokens, groups, token_block_size};
pub(super) use tokens::{minima_pairs, words};

/// Sixteen 32-bit numbers, one for each weight row of a vector.
type Lanes = [i32; 16];

/// Weight rows in the lanes of a vector.
const LANES: usize = 16;

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

/// Up to so many tokens the next chunk comes so soon that it is not asked for again.
const FEW: usize = 24;

/// Chunks of K in a slab: slabs of about one size.
fn slab_chunks<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    let most = (SLAB / m.clamp(1, SLAB_TOKENS) / CHUNK).max(1);
    let chunks = blocks.div_ceil(chunk_blocks::<W>()).max(1);
    chunks.div_ceil(chunks.div_ceil(most))
}

/// [`Lanes`] of the outputs of a panel and `m` tokens.
fn sums_size<const R: usize>(m: usize) -> usize {
    m.min(SLAB_TOKENS) * R
}

/// [`Lanes`] that one chunk of K takes in a slab of `m` tokens.
fn chunk_size<W: WeightBlock>(m: usize) -> usize {
    (m.min(SLAB_TOKENS) * chunk_blocks::<W>() * token_block_size::<W>()).div_ceil(16)
}

/// The `i32` elements of scratch that [`dots`] needs for `m` activation rows of `k` elements, or fewer rows.
pub fn dots_scratch<W: RowLanes, V: Vector, const R: usize>(m: usize, k: usize) -> usize {
    let direct = direct::scratch::<W>(m.min(direct::MAX_TOKENS), k / W::ELEMS);
    direct.max(panels_scratch::<V::InPanels<W>, R>(m, k))
}

fn panels_scratch<W: RowLanes, const R: usize>(m: usize, k: usize) -> usize {
    16 * (sums_size::<R>(m) + panel_size::<W, R>() + slab_chunks::<W>(m, k / W::ELEMS) * chunk_size::<W>(m))
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. Unpacks the weights once for up to 1024 activation rows. To be called inside `V`'s
/// [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`dots_scratch`] says.
#[inline(always)]
pub fn dots<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    const { assert!(R > 0 && T >= 4 && T <= MAX_TOKENS && (W::WIDE || W::MAGNITUDE <= 127)) };
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    if blocks == 0 || m == 0 {
        (0..m).for_each(|t| out.row_mut(t).fill(0.0));
    } else if m <= direct::MAX_TOKENS && n >= LANES {
        direct::direct::<W, V>(v, &weights, &acts, out, scratch);
    } else {
        by_panels::<V::InPanels<W>, V, R, T>(v, &weights, &acts, out, scratch);
    }
}

#[inline(always)]
fn by_panels<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    weights: &View<'_, u8>,
    acts: &View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let (m, n, blocks) = (acts.rows(), weights.rows(), weights.cols() / W::BYTES);
    let (sums, rest) = scratch.as_chunks_mut::<16>().0.split_at_mut(sums_size::<R>(m));
    let (panel, slab) = rest.split_at_mut(panel_size::<W, R>());
    // Scratch that is made for more rows may hold a few chunks less. The depth changes no bit: sums go on where they were.
    let depth = slab_chunks::<W>(m, blocks).min(slab.len() / chunk_size::<W>(m)) * chunk_blocks::<W>();
    let mut padded = [0; size_of::<Padded>()];
    for first in (0..m).step_by(SLAB_TOKENS) {
        let count = SLAB_TOKENS.min(m - first);
        for from in (0..blocks).step_by(depth) {
            let range = from..blocks.min(from + depth);
            let weights = weights.slice_cols(range.start * W::BYTES, range.len() * W::BYTES);
            let tokens = Tokens::<W>::new::<T>(acts.slice_rows(first, count), range, slab.as_flattened_mut());
            for row in (0..n).step_by(R * LANES) {
                let rows = (R * LANES).min(n - row);
                let mut out = out.tile(first, count, row, rows);
                // Outputs that fill no vectors take the way through scratch.
                let whole = rows == R * LANES;
                if !whole && from > 0 {
                    load_sums::<V, R, T>(v, &out, sums);
                }
                let ends = match (from, whole) {
                    (0, true) => [Place::Nothing, Place::Outputs],
                    (_, true) => [Place::Outputs; 2],
                    (0, false) => [Place::Nothing, Place::Scratch],
                    (_, false) => [Place::Scratch; 2],
                };
                let buffers = (&mut *sums, &mut padded, &mut *panel);
                multiply_panel::<W, V, R, T>(v, (&weights, row), &tokens, (&mut out, ends), buffers);
                if !whole {
                    store_sums::<V, R, T>(v, sums, &mut out);
                }
            }
        }
    }
}

/// The chunks of a slab in ascending order, each with all tokens. `ends` are where sums come from, and where they go to.
#[inline(always)]
fn multiply_panel<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    (weights, row): (&View<'_, u8>, usize),
    tokens: &Tokens<'_, W>,
    (out, ends): (&mut ViewMut<'_, f32>, [Place; 2]),
    (sums, padded, panel): (&mut [Lanes], &mut Padded, &mut [Lanes]),
) {
    let rows = panel_rows::<R>(weights, row);
    let count = out.rows();
    let bytes = chunk_blocks::<W>() * W::BYTES;
    for from in (0..rows.cols()).step_by(bytes) {
        let chunk = from..rows.cols().min(from + bytes);
        let ahead = ahead::<R>(weights, row, &chunk);
        let panel = Panel::<W, R>::new(v, rows.slice_cols(chunk.start, chunk.len()), ahead, padded, panel);
        let next = next_chunk::<R>(weights, row, &(from..from + bytes));
        let ends_now = [
            if chunk.start == 0 { ends[0] } else { Place::Scratch },
            if chunk.end == rows.cols() { ends[1] } else { Place::Scratch },
        ];
        let mut asked = 0;
        for group in groups::<T>(count) {
            // Of many tokens' time, what was asked for before them may have left the cache.
            let due = if count > FEW { (group.0 + group.1) * next.rows() / count } else { 0 };
            (asked..due).for_each(|r| prefetch(next.row(r)));
            asked = due;
            if ends_now.contains(&Place::Outputs) {
                let next = group.0 + group.1;
                (next..count.min(next + T)).for_each(|t| prefetch(out.row(t)));
            }
            let sums = TileSums {
                from: ends_now[0],
                to: ends_now[1],
                scratch: &mut sums[R * group.0..][..R * group.1],
                outputs: &mut out.tile(group.0, group.1, 0, out.cols()),
            };
            multiply_chunk::<W, V, R, T>(v, &panel, &tokens.chunk(from / W::BYTES, group), sums);
        }
    }
}

/// Puts outputs where the tile wants them.
#[inline(always)]
fn load_sums<V: Vector, const R: usize, const T: usize>(v: V, out: &ViewMut<'_, f32>, sums: &mut [Lanes]) {
    for group in groups::<T>(out.rows()) {
        for t in 0..group.1 {
            for (vector, from) in out.row(group.0 + t).chunks(16).enumerate() {
                load_lanes(v, from, &mut sums[sum_of::<R>(group, t, vector)]);
            }
        }
    }
}

/// And back.
#[inline(always)]
fn store_sums<V: Vector, const R: usize, const T: usize>(v: V, sums: &[Lanes], out: &mut ViewMut<'_, f32>) {
    for group in groups::<T>(out.rows()) {
        for t in 0..group.1 {
            for (vector, to) in out.row_mut(group.0 + t).chunks_mut(16).enumerate() {
                store_lanes(v, &sums[sum_of::<R>(group, t, vector)], to);
            }
        }
    }
}

/// Up to sixteen outputs as bits: by a vector where there are sixteen, of which the compiler makes moves of single words otherwise.
#[inline(always)]
pub(super) fn load_lanes<V: Vector>(v: V, from: &[f32], to: &mut Lanes) {
    match from.first_chunk() {
        Some(from) => store_floats(v, v.floats(from), to),
        None => from.iter().zip(to).for_each(|(from, to)| *to = from.to_bits() as i32),
    }
}

/// And back.
#[inline(always)]
pub(super) fn store_lanes<V: Vector>(v: V, from: &Lanes, to: &mut [f32]) {
    match to.first_chunk_mut() {
        Some(to) => v.store_floats(floats(v, from), to),
        None => from.iter().zip(to).for_each(|(from, to)| *to = f32::from_bits(*from as u32)),
    }
}

/// Where the sums of a group's token and a vector of rows lie.
#[inline(always)]
fn sum_of<const R: usize>((first, tokens): (usize, usize), t: usize, vector: usize) -> usize {
    R * first + vector * tokens + t
}
