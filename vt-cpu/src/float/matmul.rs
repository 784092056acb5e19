//! Matmul with float weights: `out[m][n]` is the dot product of weight row n and activation row m.
//!
//! f32 and f16 weights: `sum = fma(w[k], x[k], sum)` in partial sum k mod 16, k ascending from +0, then the tree of
//! [`lanes`](super::lanes). bf16 weights: activations are rounded to bf16, denormal inputs are zeros, lane j of each
//! chunk of 32 elements takes the elements 2j + 1 and then 2j by the steps of [`pairs`](super::pairs), then the same tree.
//! Absent elements are skipped.
//! The way K is blocked and rows are tiled does not enter the result.

use std::array::from_fn;

use vt_core::{View, ViewMut};

use crate::arch::Isa;

use super::lanes::{LANES, Lanes, add_tree};
use super::pairs::lowest_exponent;
use super::tile::{Extent, Panel, Sums, accumulate, pack_activations, pack_weights};
use super::weight::Weight;

/// Up to this many tokens, all activations are packed at once and each weight row is read once from end to end.
const FEW: usize = 2;
/// Elements of K in a block of the many-token road.
const K_BLOCK: usize = 512;
/// Weight rows in a block: their partial sums and the activations stay in a second-level cache.
const ROW_BLOCK: usize = 64;
/// Tokens in a block, at most.
const TOKEN_BLOCK: usize = 120;

/// The f32 elements that [`matmul`] needs as scratch for `tokens` rows of `k` elements.
pub fn matmul_scratch<W: Weight>(tokens: usize, k: usize) -> usize {
    let vectors = if tokens <= FEW {
        8 * K_BLOCK / LANES + tokens * Extent::new::<W>(k).vectors::<W>()
    } else {
        // Tiles may be padded by up to eight rows and eight tokens.
        (TOKEN_BLOCK + 8 + 8) * K_BLOCK / LANES + (TOKEN_BLOCK + 8) * (ROW_BLOCK + 8)
    };
    vectors * LANES
}

/// `out[m][n] = dot(weights[n], acts[m])`, weights [N, K], activations [M, K], out [M, N].
///
/// R weight rows by T tokens (at most 8 each) are computed at a time: 4 by 4 suits 32 registers of 16 lanes, 2 by 3
/// suits AVX2 and NEON. No element of `scratch` is read before it is written.
///
/// # Panics
/// If shapes disagree, or `scratch` is shorter than [`matmul_scratch`] says.
#[inline(always)]
pub fn matmul<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [f32],
) {
    const { assert!(0 < R && R <= 8 && 0 < T && T <= 8) };
    let (m, n, k) = (acts.rows(), weights.rows(), acts.cols());
    assert!(weights.cols() == k && out.rows() == m && out.cols() == n, "[{n}, K] x [{m}, {k}]");
    assert!(scratch.len() >= matmul_scratch::<W>(m, k), "scratch of {} elements", scratch.len());
    let scratch = scratch.as_chunks_mut().0;
    match m {
        0 => {}
        1 => few::<I, W, 4, 1>(isa, weights, acts, out, scratch),
        2 => few::<I, W, 4, 2>(isa, weights, acts, out, scratch),
        _ => many::<I, W, R, T>(isa, weights, acts, out, scratch),
    }
}

/// T tokens, all of them: row tile by row tile, so that weights are read as a few long streams.
#[inline(always)]
fn few<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let vectors = Extent::new::<W>(acts.cols()).vectors::<W>();
    let (panel, packed) = scratch.split_at_mut(R * K_BLOCK / LANES);
    for t in 0..T {
        pack_activations::<W>(acts.row(t), &mut packed[t * vectors..][..vectors]);
    }
    let floor = floor::<W>(&packed[..T * vectors]);
    for n in (0..weights.rows()).step_by(R) {
        let mut sums: Sums<R, T> = [[[0.0; LANES]; T]; R];
        for k in (0..weights.cols()).step_by(K_BLOCK) {
            let panel = pack_panel::<I, W, R>(isa, weights.slice_cols(k, K_BLOCK.min(weights.cols() - k)), n, panel);
            let acts = from_fn(|t| &packed[t * vectors + k / LANES..][..panel.rows[0].len()]);
            accumulate::<W, R, T>(&mut sums, &panel, acts, floor);
        }
        write(out, &sums, n, 0);
    }
}

/// Packs the rows from `n` on; where there are no more, the last one again, for tiles are not made smaller.
#[inline(always)]
fn pack_panel<'a, I: Isa, W: Weight, const R: usize>(
    isa: I,
    weights: View<W>,
    n: usize,
    to: &'a mut [Lanes],
) -> Panel<'a, R> {
    let extent = Extent::new::<W>(weights.cols());
    let vectors = extent.vectors::<W>();
    for r in 0..R {
        let row = weights.row((n + r).min(weights.rows() - 1));
        pack_weights::<I, W>(isa, row, &mut to[r * vectors..][..vectors]);
    }
    let to = &to[..R * vectors];
    Panel { rows: from_fn(|r| &to[r * vectors..][..vectors]), extent, floor: floor::<W>(to) }
}

/// The lowest exponent, for types that need it.
#[inline(always)]
fn floor<W: Weight>(packed: &[Lanes]) -> u32 {
    if W::FLUSHES { lowest_exponent(packed) } else { 0 }
}

/// Writes the tile of the rows from `n` and the tokens from `m` on, as far as they exist.
#[inline(always)]
fn write<const R: usize, const T: usize>(out: &mut ViewMut<f32>, sums: &Sums<R, T>, n: usize, m: usize) {
    let tokens = T.min(out.rows() - m);
    let rows = R.min(out.cols() - n);
    for t in 0..tokens {
        let to = &mut out.row_mut(m + t)[n..n + rows];
        for (to, sums) in to.iter_mut().zip(sums) {
            *to = add_tree(&sums[t]);
        }
    }
}

/// Any number of tokens, in blocks of tokens, rows and K.
#[inline(always)]
fn many<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let blocks = acts.rows().div_ceil(TOKEN_BLOCK);
    let tokens = acts.rows().div_ceil(blocks).next_multiple_of(T);
    for m in (0..acts.rows()).step_by(tokens) {
        let tokens = tokens.min(acts.rows() - m);
        for n in (0..weights.rows()).step_by(ROW_BLOCK) {
            let rows = ROW_BLOCK.min(weights.rows() - n);
            let out = &mut out.tile(m, tokens, n, rows);
            block::<I, W, R, T>(isa, weights.slice_rows(n, rows), acts.slice_rows(m, tokens), out, scratch);
        }
    }
}

/// A block of rows and tokens: the partial sums of all its tiles wait in `scratch` between the blocks of K.
#[inline(always)]
fn block<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let (row_tiles, token_tiles) = (weights.rows().div_ceil(R), acts.rows().div_ceil(T));
    let (packed, sums) = scratch.split_at_mut((token_tiles * T + R) * K_BLOCK / LANES);
    let sums = &mut sums.as_chunks_mut::<T>().0.as_chunks_mut::<R>().0[..row_tiles * token_tiles];
    sums.fill([[[0.0; LANES]; T]; R]);
    for k in (0..acts.cols()).step_by(K_BLOCK) {
        let len = K_BLOCK.min(acts.cols() - k);
        k_block::<I, W, R, T>(isa, weights.slice_cols(k, len), acts.slice_cols(k, len), sums, packed);
    }
    for (i, sums) in sums.iter().enumerate() {
        write(out, sums, i / token_tiles * R, i % token_tiles * T);
    }
}

/// Adds a block of K to the sums of all tiles, row tile by row tile.
#[inline(always)]
fn k_block<I: Isa, W: Weight, const R: usize, const T: usize>(
    isa: I,
    weights: View<W>,
    acts: View<f32>,
    sums: &mut [Sums<R, T>],
    packed: &mut [Lanes],
) {
    let vectors = Extent::new::<W>(acts.cols()).vectors::<W>();
    let token_tiles = acts.rows().div_ceil(T);
    let (panel, packed) = packed.split_at_mut(R * vectors);
    for t in 0..token_tiles * T {
        let row = acts.row(t.min(acts.rows() - 1));
        pack_activations::<W>(row, &mut packed[t * vectors..][..vectors]);
    }
    let mut floors = [0; TOKEN_BLOCK + 8];
    for (floor_of_tile, acts) in floors.iter_mut().zip(packed[..token_tiles * T * vectors].chunks_exact(T * vectors)) {
        *floor_of_tile = floor::<W>(acts);
    }
    for (i, sums) in sums.chunks_exact_mut(token_tiles).enumerate() {
        let panel = pack_panel::<I, W, R>(isa, weights, i * R, panel);
        for (t, sums) in sums.iter_mut().enumerate() {
            let acts = from_fn(|i| &packed[(t * T + i) * vectors..][..vectors]);
            accumulate::<W, R, T>(sums, &panel, acts, floors[t]);
        }
    }
}
