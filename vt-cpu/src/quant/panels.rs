//! The road for many activation rows: panels of 16 weight rows, built on the fly, and tiles of tokens.

use vt_core::{View, ViewMut};

use crate::block::{Offset, WeightBlock};

use super::blocks_per_row;
use super::exact_sum::ExactSum;
use super::panel::{Panel, PanelBlock, panel_block_size};
use super::tile::{ROWS, TOKENS, Tile, accumulate, add_products, add_scaled, products, rounded};
use super::tokens::{CHUNK, TokenBlock, Tokens, token_block_size};

/// Elements of expanded activations that stay in the cache: 1 MB of `f32`.
const SLAB: usize = 1 << 18;

/// Elements of K in a slab at most: a panel of them is 64 KB.
const SLAB_DEPTH: usize = 1024;

/// Tokens that share a slab at most.
const SLAB_TOKENS: usize = 1024;

/// Blocks of K in a slab.
fn slab_blocks<W: WeightBlock>(m: usize, k: usize) -> usize {
    let depth = (SLAB / m.clamp(1, SLAB_TOKENS)).min(SLAB_DEPTH);
    (depth / W::ELEMS).min(k / W::ELEMS).max(1)
}

/// The `f32` elements of scratch that one block of K takes in a slab of `m` activation rows.
fn block_scratch<W: WeightBlock>(m: usize) -> usize {
    let tokens = m.min(SLAB_TOKENS).next_multiple_of(TOKENS);
    tokens * token_block_size::<W>() + ROWS * panel_block_size::<W>()
}

/// The `f32` elements of scratch that [`panels`] needs for `m` activation rows of `k` elements, or fewer rows: at most
/// 1.5 MB.
pub fn panels_scratch<W: WeightBlock>(m: usize, k: usize) -> usize {
    slab_blocks::<W>(m, k) * block_scratch::<W>(m)
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. Unpacks the weights once for up to 1024 activation rows. To be called inside a
/// tier's [`perform`](crate::arch::Isa::perform).
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`panels_scratch`] says.
#[inline(always)]
pub fn panels<W: WeightBlock>(
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [f32],
) {
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    for t in 0..m {
        out.row_mut(t).fill(0.0);
    }
    // Scratch that is made for more rows may hold a few blocks less. The depth changes no bit: sums go on where they were.
    let held = scratch.len() / block_scratch::<W>(m);
    let depth = slab_blocks::<W>(m, blocks * W::ELEMS).min(held);
    let (panel, tokens) = scratch.split_at_mut(depth * panel_block_size::<W>() * ROWS);
    let (panel, _) = panel.as_chunks_mut::<ROWS>();
    for first in (0..m).step_by(SLAB_TOKENS) {
        let count = SLAB_TOKENS.min(m - first);
        for from in (0..blocks).step_by(depth) {
            let blocks = depth.min(blocks - from);
            let tokens = Tokens::<W>::new(acts.slice_rows(first, count), from, blocks, tokens);
            for row in (0..n).step_by(ROWS) {
                let rows = ROWS.min(n - row);
                let panel = Panel::<W>::new(weights.slice_rows(row, rows), from, blocks, panel);
                let mut out = out.tile(first, count, row, rows);
                multiply_slab::<W>(&panel, &tokens, blocks, &mut out);
            }
        }
    }
}

/// Adds a slab's products to the outputs of one panel.
#[inline(always)]
fn multiply_slab<W: WeightBlock>(
    panel: &Panel<'_, W>,
    tokens: &Tokens<'_, W>,
    blocks: usize,
    out: &mut ViewMut<'_, f32>,
) {
    let (m, rows) = (out.rows(), out.cols());
    for group in 0..m.div_ceil(TOKENS) {
        let first = group * TOKENS;
        let present = TOKENS.min(m - first);
        let mut accs = [[0.0; ROWS]; TOKENS];
        for t in 0..present {
            accs[t][..rows].copy_from_slice(out.row(first + t));
        }
        for block in 0..blocks {
            multiply_block::<W>(&panel.block(block), &tokens.block(group, block), &mut accs);
        }
        for t in 0..present {
            out.row_mut(first + t).copy_from_slice(&accs[t][..rows]);
        }
    }
}

/// The float operations of one block, for a tile of outputs.
#[inline(always)]
fn multiply_block<W: WeightBlock>(panel: &PanelBlock<'_>, tokens: &TokenBlock<'_>, accs: &mut Tile) {
    add_scaled(panel.scale, tokens.scales, &integer_products::<W>(panel, tokens), accs);
    match W::OFFSET {
        Offset::None => {}
        Offset::Constant => add_products(&panel.offset[0], tokens.offsets, accs),
        Offset::Minima => {
            let sums = if W::MINIMA == 8 {
                products::<8>(panel.minima, tokens.offsets.as_chunks().0)
            } else {
                products::<16>(panel.minima, tokens.offsets.as_chunks().0)
            };
            add_scaled(&panel.offset[0], tokens.scales, &sums, accs);
        }
    }
}

/// The exact integer sums of a block as `f32`, rounded once.
#[inline(always)]
fn integer_products<W: WeightBlock>(panel: &PanelBlock<'_>, tokens: &TokenBlock<'_>) -> Tile {
    if W::EXACT == W::ELEMS {
        return products::<CHUNK>(panel.weights, tokens.quants);
    }
    let mut totals = [ExactSum::ZERO; TOKENS];
    let acts = tokens.quants.chunks_exact(W::EXACT / CHUNK * TOKENS);
    for (weights, acts) in panel.weights.chunks_exact(W::EXACT).zip(acts) {
        accumulate(&products::<CHUNK>(weights, acts), &mut totals);
    }
    rounded(&totals)
}
