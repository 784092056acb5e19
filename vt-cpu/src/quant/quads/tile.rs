//! The register tile: eight weight rows by up to T columns of tokens.

use crate::arch::{Quad, Quads, Sums};
use crate::block::{Offset, RowLanes, WeightBlock};
use crate::quant::parts;

use super::panel::{self, PanelBlock};
use super::tokens::{self, TokenBlock};

/// The most columns of a tile.
pub(super) const MAX_COLUMNS: usize = 4;

/// The greatest magnitudes of activations: as they are made, and of any.
pub(super) const MADE: usize = 127;
pub(super) const ANY: usize = 128;

/// How many products of bytes of such magnitudes a half of 16 bits can sum: a power of two, at most 16.
pub(super) const fn fit(weight: usize, act: usize) -> usize {
    let most = i16::MAX as usize / (weight * act);
    if most >= 16 { 16 } else { 1 << most.ilog2() }
}

/// The same of minima and sums of activations.
pub(super) const MINIMA_FIT: usize = fit(63, ANY);

/// Adds a chunk's products to the sums of a tile with a group of columns: one, two or four, at most MAX. Where more products fit
/// without activations of -128, it is another text for those that have some.
#[inline(always)]
pub(super) fn multiply_group<W: RowLanes, V: Quads, const R: usize, const MAX: usize>(
    v: V,
    weights: &[Quad],
    tokens: &[i32],
    sums: &mut [Quad],
    least: bool,
) {
    if const { V::HALVES && fit(W::MAGNITUDE, MADE) > fit(W::MAGNITUDE, ANY) } && least {
        multiply_columns::<W, V, R, MAX, ANY>(v, weights, tokens, sums);
    } else {
        multiply_columns::<W, V, R, MAX, MADE>(v, weights, tokens, sums);
    }
}

#[inline(always)]
fn multiply_columns<W: RowLanes, V: Quads, const R: usize, const MAX: usize, const ACT: usize>(
    v: V,
    weights: &[Quad],
    tokens: &[i32],
    sums: &mut [Quad],
) {
    match sums.len() / R {
        1 => multiply::<W, V, R, 1, ACT>(v, weights, tokens, sums),
        2 if const { MAX > 2 } => multiply::<W, V, R, 2, ACT>(v, weights, tokens, sums),
        _ => multiply::<W, V, R, MAX, ACT>(v, weights, tokens, sums),
    }
}

/// Sums of types with few elements stay in registers; those of K-quants give way to the sums of a block.
#[inline(always)]
fn multiply<W: RowLanes, V: Quads, const R: usize, const T: usize, const ACT: usize>(
    v: V,
    weights: &[Quad],
    tokens: &[i32],
    sums: &mut [Quad],
) {
    let many = W::ELEMS > 32;
    let mut accs = load::<V, R, T>(v, sums);
    for block in 0..panel::blocks::<W, V>(weights) {
        let (weights, tokens) = (panel::block::<W, V>(weights, block), tokens::block::<W, V, T>(tokens, block));
        let products = products::<W, V, R, T>(v, &weights, &tokens, fit(W::MAGNITUDE, ACT));
        if many {
            accs = load(v, sums);
        }
        add_block::<W, V, R, T>(v, &weights, &tokens, &products, &mut accs);
        if many {
            store(v, &accs, sums);
        }
    }
    if !many {
        store(v, &accs, sums);
    }
}

#[inline(always)]
fn load<V: Quads, const R: usize, const T: usize>(v: V, sums: &[Quad]) -> Sums<V::Float, R, T> {
    let sums = &sums.as_chunks().0[..T];
    let mut accs = [v.load_sums(&sums[0]); T];
    for t in 1..T {
        accs[t] = v.load_sums(&sums[t]);
    }
    accs
}

#[inline(always)]
fn store<V: Quads, const R: usize, const T: usize>(v: V, accs: &Sums<V::Float, R, T>, sums: &mut [Quad]) {
    let sums = &mut sums.as_chunks_mut().0[..T];
    for t in 0..T {
        v.store_sums(&accs[t], &mut sums[t]);
    }
}

/// The exact integer sums of a block.
#[inline(always)]
fn products<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    weights: &PanelBlock<'_>,
    tokens: &TokenBlock<'_, T>,
    fit: usize,
) -> Sums<V::Int, R, T> {
    let zeros = [[v.int(0); R]; T];
    if parts::<W>() == 1 {
        return v.add_dots(&zeros, weights.quants, &tokens.quants, fit);
    }
    let mut totals = zeros;
    for p in 0..parts::<W>() {
        let quants = &weights.quants[p * part_quads::<W>()..][..part_quads::<W>()];
        let sums = v.add_dots(&zeros, quants, &tokens.part::<W, V>(p), fit);
        for r in 0..R {
            let scale = v.load(&weights.part_scales[p * R + r]);
            for t in 0..T {
                totals[t][r] = v.multiply_add_ints(sums[t][r], scale, totals[t][r]);
            }
        }
    }
    totals
}

/// [`Quad`]s of a part's quants.
const fn part_quads<W: WeightBlock>() -> usize {
    W::ELEMS / 2 / parts::<W>()
}

/// The float operations of one block.
#[inline(always)]
fn add_block<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    weights: &PanelBlock<'_>,
    tokens: &TokenBlock<'_, T>,
    products: &Sums<V::Int, R, T>,
    accs: &mut Sums<V::Float, R, T>,
) {
    for r in 0..R {
        let scale = v.bits_to_floats(v.load(&weights.scale[r]));
        for t in 0..T {
            let factor = v.multiply(scale, v.tokens(&tokens.scales[t * V::TOKENS..]));
            accs[t][r] = v.multiply_add(factor, v.to_floats(products[t][r]), accs[t][r]);
        }
    }
    match W::OFFSET {
        Offset::None => {}
        Offset::Constant => {
            for r in 0..R {
                let offset = v.bits_to_floats(v.load(&weights.offset[r]));
                for t in 0..T {
                    accs[t][r] = v.multiply_add(offset, v.tokens(&tokens.sums[t * V::TOKENS..]), accs[t][r]);
                }
            }
        }
        Offset::Minima => {
            let sums = minima::<W, V, R, T>(v, weights, tokens);
            for r in 0..R {
                let offset = v.bits_to_floats(v.load(&weights.offset[r]));
                for t in 0..T {
                    let factor = v.multiply(offset, v.tokens(&tokens.scales[t * V::TOKENS..]));
                    accs[t][r] = v.multiply_add(factor, v.to_floats(sums[t][r]), accs[t][r]);
                }
            }
        }
    }
}

/// Minima times sums of activations: of the sums first what is above seven bits, then those.
#[inline(always)]
fn minima<W: RowLanes, V: Quads, const R: usize, const T: usize>(
    v: V,
    weights: &PanelBlock<'_>,
    tokens: &TokenBlock<'_, T>,
) -> Sums<V::Int, R, T> {
    let mut sums = v.add_dots(&[[v.int(0); R]; T], weights.minima, &tokens.high_sums, MINIMA_FIT);
    for t in 0..T {
        for r in 0..R {
            sums[t][r] = v.shift_left(sums[t][r], 7);
        }
    }
    v.add_dots(&sums, weights.minima, &tokens.low_sums, MINIMA_FIT)
}
