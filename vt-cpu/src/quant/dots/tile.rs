//! The register tile: 32 weight rows by up to six tokens.

use crate::arch::Vector;
use crate::block::{Offset, RowLanes, WeightBlock};

use super::Lanes;
use super::panel::{Panel, PanelBlock};
use super::tokens::{TokenBlock, TokenChunk};

/// Vectors of 16 weight rows in a tile.
pub(super) const VECTORS: usize = 2;

/// Parts of a block that have scales of their own.
pub(super) const fn parts<W: WeightBlock>() -> usize {
    if W::ELEMS == 32 {
        1
    } else if W::MINIMA == 8 {
        8
    } else {
        16
    }
}

/// Whether the scales of parts are applied in `f32`: exactly, in one or two sums below 2^24, which is faster than the
/// product of integers.
pub(super) const fn float_scales<W: WeightBlock>() -> bool {
    2 * W::EXACT >= W::ELEMS
}

type Ints<V, const T: usize> = [[<V as Vector>::Int; T]; VECTORS];
type Floats<V, const T: usize> = [[<V as Vector>::Float; T]; VECTORS];

/// Lanes that hold the bits of `f32`.
#[inline(always)]
fn floats<V: Vector>(v: V, lanes: &Lanes) -> V::Float {
    let mut floats = [0.0; 16];
    for i in 0..16 {
        floats[i] = f32::from_bits(lanes[i] as u32);
    }
    v.floats(&floats)
}

/// Adds a chunk's products to the sums of a tile of as many tokens as there are, block after block. Of the sums first
/// come those of one vector of rows, then the other's.
#[inline(always)]
pub(super) fn multiply_chunk<W: RowLanes, V: Vector>(
    v: V,
    weights: &Panel<'_, W>,
    tokens: &TokenChunk<'_, W>,
    sums: &mut [Lanes],
) {
    match sums.len() / VECTORS {
        1 => multiply::<W, V, 1>(v, weights, tokens, sums),
        2 => multiply::<W, V, 2>(v, weights, tokens, sums),
        3 => multiply::<W, V, 3>(v, weights, tokens, sums),
        4 => multiply::<W, V, 4>(v, weights, tokens, sums),
        5 => multiply::<W, V, 5>(v, weights, tokens, sums),
        _ => multiply::<W, V, 6>(v, weights, tokens, sums),
    }
}

#[inline(always)]
fn multiply<W: RowLanes, V: Vector, const T: usize>(
    v: V,
    weights: &Panel<'_, W>,
    tokens: &TokenChunk<'_, W>,
    sums: &mut [Lanes],
) {
    let sums = &mut sums[..VECTORS * T];
    let mut accs = [[v.float(0.0); T]; VECTORS];
    for r in 0..VECTORS {
        for t in 0..T {
            accs[r][t] = floats(v, &sums[r * T + t]);
        }
    }
    for (weights, tokens) in weights.blocks().zip(tokens.blocks::<T>()) {
        let products = products::<W, V, T>(v, &weights, &tokens);
        add_block::<W, V, T>(v, &weights, &tokens, products, &mut accs);
    }
    for r in 0..VECTORS {
        for t in 0..T {
            let mut lanes = [0.0; 16];
            v.store_floats(accs[r][t], &mut lanes);
            for i in 0..16 {
                sums[r * T + t][i] = lanes[i].to_bits() as i32;
            }
        }
    }
}

/// The exact integer sums of a block, rounded once.
#[inline(always)]
fn products<W: WeightBlock, V: Vector, const T: usize>(
    v: V,
    weights: &[PanelBlock<'_>; VECTORS],
    tokens: &TokenBlock<'_>,
) -> Floats<V, T> {
    if parts::<W>() == 1 {
        return to_floats(v, part::<W, V, T>(v, weights, tokens, 0));
    }
    if !float_scales::<W>() {
        let mut totals = [[v.int(0); T]; VECTORS];
        for p in 0..parts::<W>() {
            let sums = part::<W, V, T>(v, weights, tokens, p);
            for r in 0..VECTORS {
                let scale = v.ints(&weights[r].part_scales[p]);
                for t in 0..T {
                    totals[r][t] = v.multiply_add_ints(sums[r][t], scale, totals[r][t]);
                }
            }
        }
        return to_floats(v, totals);
    }
    let exact = W::EXACT * parts::<W>() / W::ELEMS;
    let mut totals = scaled::<W, V, T>(v, weights, tokens, 0..exact);
    if exact < parts::<W>() {
        let rest = scaled::<W, V, T>(v, weights, tokens, exact..parts::<W>());
        for r in 0..VECTORS {
            for t in 0..T {
                totals[r][t] = v.add(totals[r][t], rest[r][t]);
            }
        }
    }
    totals
}

#[inline(always)]
fn to_floats<V: Vector, const T: usize>(v: V, sums: Ints<V, T>) -> Floats<V, T> {
    let mut floats = [[v.float(0.0); T]; VECTORS];
    for r in 0..VECTORS {
        for t in 0..T {
            floats[r][t] = v.to_floats(sums[r][t]);
        }
    }
    floats
}

/// The sums of some parts times their scales, exact in `f32`.
#[inline(always)]
fn scaled<W: WeightBlock, V: Vector, const T: usize>(
    v: V,
    weights: &[PanelBlock<'_>; VECTORS],
    tokens: &TokenBlock<'_>,
    parts: std::ops::Range<usize>,
) -> Floats<V, T> {
    let mut totals = [[v.float(0.0); T]; VECTORS];
    for p in parts {
        let sums = part::<W, V, T>(v, weights, tokens, p);
        for r in 0..VECTORS {
            let scale = floats(v, &weights[r].part_scales[p]);
            for t in 0..T {
                totals[r][t] = v.multiply_add(v.to_floats(sums[r][t]), scale, totals[r][t]);
            }
        }
    }
    totals
}

/// The integer sums of part `p`.
#[inline(always)]
fn part<W: WeightBlock, V: Vector, const T: usize>(
    v: V,
    weights: &[PanelBlock<'_>; VECTORS],
    tokens: &TokenBlock<'_>,
    p: usize,
) -> Ints<V, T> {
    let words = W::ELEMS / 4 / parts::<W>();
    let mut sums = [[v.int(0); T]; VECTORS];
    if W::BIAS != 0 {
        for t in 0..T {
            let start = v.int(tokens.starts[t * parts::<W>() + p]);
            for r in 0..VECTORS {
                sums[r][t] = start;
            }
        }
    }
    for k in p * words..(p + 1) * words {
        let quants = [v.ints(&weights[0].quants[k]), v.ints(&weights[1].quants[k])];
        for t in 0..T {
            let act = v.int(tokens.quants[t * W::ELEMS / 4 + k]);
            for r in 0..VECTORS {
                sums[r][t] = v.dot_bytes(sums[r][t], quants[r], act);
            }
        }
    }
    sums
}

/// The float operations of one block.
#[inline(always)]
fn add_block<W: WeightBlock, V: Vector, const T: usize>(
    v: V,
    weights: &[PanelBlock<'_>; VECTORS],
    tokens: &TokenBlock<'_>,
    products: Floats<V, T>,
    accs: &mut Floats<V, T>,
) {
    let float = |bits: i32| v.float(f32::from_bits(bits as u32));
    for r in 0..VECTORS {
        let scale = floats(v, weights[r].scale);
        for t in 0..T {
            let factor = v.multiply(scale, float(tokens.scales[t]));
            accs[r][t] = v.multiply_add(factor, products[r][t], accs[r][t]);
        }
        match W::OFFSET {
            Offset::None => {}
            Offset::Constant => {
                let offset = floats(v, &weights[r].offset[0]);
                for t in 0..T {
                    accs[r][t] = v.multiply_add(offset, float(tokens.offsets[t]), accs[r][t]);
                }
            }
            Offset::Minima => {
                let offset = floats(v, &weights[r].offset[0]);
                for t in 0..T {
                    let mut sum = v.int(0);
                    for pair in 0..W::MINIMA / 2 {
                        let sums = v.int(tokens.offsets[t * W::MINIMA / 2 + pair]);
                        sum = v.dot_halves(sum, v.ints(&weights[r].minima[pair]), sums);
                    }
                    let factor = v.multiply(offset, float(tokens.scales[t]));
                    accs[r][t] = v.multiply_add(factor, v.to_floats(sum), accs[r][t]);
                }
            }
        }
    }
}
