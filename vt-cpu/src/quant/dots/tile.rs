//! The register tile: R vectors of 16 weight rows by T tokens.

use std::marker::PhantomData;

use crate::arch::{Vector, Words};
use crate::block::{Offset, RowLanes, WeightBlock};

use super::Lanes;
use super::panel::{BlockScales, Panel, PanelBlock};
use super::sums::TileSums;
use super::tokens::{TokenBlock, TokenChunk};
use crate::quant::parts;

/// Whether the scales of parts are applied in `f32`: exactly, in one or two sums below 2^24, which is faster than the
/// product of integers.
pub(super) const fn float_scales<W: WeightBlock>() -> bool {
    2 * W::EXACT >= W::ELEMS
}

/// Whether the sums of parts are halves of lanes, two of which are multiplied with their scales at once.
pub(super) const fn in_halves<W: RowLanes>() -> bool {
    parts::<W>() == 16 && W::ELEMS / 16 * W::MAGNITUDE * 128 < 1 << 15
}

pub(super) type Ints<V, const R: usize, const T: usize> = [[<V as Words>::Int; T]; R];
pub(super) type Floats<V, const R: usize, const T: usize> = [[<V as Words>::Float; T]; R];

/// Lanes that hold the bits of `f32`.
#[inline(always)]
pub(in crate::quant) fn floats<V: Vector>(v: V, lanes: &Lanes) -> V::Float {
    let mut floats = [0.0; 16];
    for i in 0..16 {
        floats[i] = f32::from_bits(lanes[i] as u32);
    }
    v.floats(&floats)
}

/// The most tokens of a tile.
pub(super) const MAX_TOKENS: usize = 6;

/// Adds a chunk's products to the sums of a tile of as many tokens as there are outputs, at most MAX, block after block.
#[inline(always)]
pub(super) fn multiply_chunk<W: RowLanes, V: Vector, const R: usize, const MAX: usize>(
    v: V,
    weights: &Panel<'_, W, R>,
    tokens: &TokenChunk<'_, W>,
    sums: TileSums<'_, '_>,
) {
    match sums.outputs.rows() {
        1 => multiply::<W, V, R, 1>(v, weights, tokens, sums),
        2 => multiply::<W, V, R, 2>(v, weights, tokens, sums),
        3 => multiply::<W, V, R, 3>(v, weights, tokens, sums),
        4 if const { MAX > 4 } => multiply::<W, V, R, 4>(v, weights, tokens, sums),
        5 if const { MAX > 5 } => multiply::<W, V, R, 5>(v, weights, tokens, sums),
        _ => multiply::<W, V, R, MAX>(v, weights, tokens, sums),
    }
}

#[inline(always)]
fn multiply<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    weights: &Panel<'_, W, R>,
    tokens: &TokenChunk<'_, W>,
    mut sums: TileSums<'_, '_>,
) {
    let mut accs = sums.load::<V, R, T>(v);
    for block in 0..weights.blocks() {
        let (weights, tokens) = (weights.block(block), tokens.block::<T>(block));
        let scales = weights.each_ref().map(|w| &w.scales);
        let parts = Streamed::<W, R> { weights: &weights, tokens: &tokens, block: PhantomData };
        add_block::<W, V, R, T>(v, scales, &tokens, &parts, &mut accs);
    }
    sums.store(v, &accs);
}

/// The integer sums of a block's parts.
pub(super) trait PartSums<V: Vector, const R: usize, const T: usize> {
    /// Those of part `p`. Implementations are `#[inline(always)]`.
    fn part(&self, v: V, p: usize) -> Ints<V, R, T>;

    /// Those of parts `4 i + j` and `4 i + 2 + j` in halves, of pair `2 i + j`.
    #[inline(always)]
    fn pair(&self, v: V, pair: usize) -> Ints<V, R, T> {
        let part = pair / 2 * 4 + pair % 2;
        let (mut sums, high) = (self.part(v, part), self.part(v, part + 2));
        for r in 0..R {
            for t in 0..T {
                sums[r][t] = halves(v, sums[r][t], high[r][t]);
            }
        }
        sums
    }
}

/// Two numbers of 16 bits in the halves of lanes.
#[inline(always)]
pub(super) fn halves<V: Vector>(v: V, low: V::Int, high: V::Int) -> V::Int {
    v.or(v.and(low, v.int(0xffff)), v.shift_left(high, 16))
}

/// The exact integer sums of a block, rounded once.
#[inline(always)]
fn products<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    scales: [&BlockScales<'_>; R],
    sums: &impl PartSums<V, R, T>,
) -> Floats<V, R, T> {
    if parts::<W>() == 1 {
        return to_floats(v, sums.part(v, 0));
    }
    if in_halves::<W>() {
        return to_floats(v, scaled_pairs(v, scales, sums));
    }
    if !float_scales::<W>() {
        let mut totals = [[v.int(0); T]; R];
        for p in 0..parts::<W>() {
            let sums = sums.part(v, p);
            for r in 0..R {
                let scale = v.ints(&scales[r].part_scales[p]);
                for t in 0..T {
                    totals[r][t] = v.multiply_add_ints(sums[r][t], scale, totals[r][t]);
                }
            }
        }
        return to_floats(v, totals);
    }
    let exact = W::EXACT * parts::<W>() / W::ELEMS;
    let mut totals = scaled(v, scales, sums, 0..exact);
    if exact < parts::<W>() {
        let rest = scaled(v, scales, sums, exact..parts::<W>());
        for r in 0..R {
            for t in 0..T {
                totals[r][t] = v.add(totals[r][t], rest[r][t]);
            }
        }
    }
    totals
}

#[inline(always)]
fn to_floats<V: Vector, const R: usize, const T: usize>(v: V, sums: Ints<V, R, T>) -> Floats<V, R, T> {
    let mut floats = [[v.float(0.0); T]; R];
    for r in 0..R {
        for t in 0..T {
            floats[r][t] = v.to_floats(sums[r][t]);
        }
    }
    floats
}

/// The sums of parts times their scales, which are in the upper bytes of halves: below 2^22, and so below 2^30 there.
#[inline(always)]
fn scaled_pairs<V: Vector, const R: usize, const T: usize>(
    v: V,
    scales: [&BlockScales<'_>; R],
    sums: &impl PartSums<V, R, T>,
) -> Ints<V, R, T> {
    let mut totals = [[v.int(0); T]; R];
    for pair in 0..8 {
        let sums = sums.pair(v, pair);
        for r in 0..R {
            let scale = v.ints(&scales[r].part_scales[pair]);
            for t in 0..T {
                totals[r][t] = v.dot_halves(totals[r][t], sums[r][t], scale);
            }
        }
    }
    for r in 0..R {
        for t in 0..T {
            totals[r][t] = v.shift_right_signed(totals[r][t], 8);
        }
    }
    totals
}

/// The sums of some parts times their scales, exact in `f32`.
#[inline(always)]
fn scaled<V: Vector, const R: usize, const T: usize>(
    v: V,
    scales: [&BlockScales<'_>; R],
    sums: &impl PartSums<V, R, T>,
    parts: std::ops::Range<usize>,
) -> Floats<V, R, T> {
    let mut totals = [[v.float(0.0); T]; R];
    for p in parts {
        let sums = sums.part(v, p);
        for r in 0..R {
            let scale = floats(v, &scales[r].part_scales[p]);
            for t in 0..T {
                totals[r][t] = v.multiply_add(v.to_floats(sums[r][t]), scale, totals[r][t]);
            }
        }
    }
    totals
}

/// Quants of both sides, multiplied part by part.
struct Streamed<'a, W, const R: usize> {
    weights: &'a [PanelBlock<'a>; R],
    tokens: &'a TokenBlock<'a>,
    block: PhantomData<W>,
}

impl<W: RowLanes, V: Vector, const R: usize, const T: usize> PartSums<V, R, T> for Streamed<'_, W, R> {
    #[inline(always)]
    fn part(&self, v: V, p: usize) -> Ints<V, R, T> {
        let mut sums = [[v.int(0); T]; R];
        for t in 0..T {
            let start = start::<W, V>(v, self.tokens, t, p);
            for r in 0..R {
                sums[r][t] = start;
            }
        }
        for word in p * part_words::<W>()..(p + 1) * part_words::<W>() {
            let mut quants = [v.int(0); R];
            for r in 0..R {
                quants[r] = v.ints(&self.weights[r].quants[word]);
            }
            for t in 0..T {
                let act = v.int(self.tokens.quants[t * W::ELEMS / 4 + word]);
                for r in 0..R {
                    sums[r][t] = add_products::<W, V>(v, sums[r][t], quants[r], act);
                }
            }
        }
        sums
    }
}

/// Words of quants in a part.
pub(super) const fn part_words<W: WeightBlock>() -> usize {
    W::ELEMS / 4 / parts::<W>()
}

/// What the sums of part `p` and token `t` start from: it takes off what the unsigned form adds.
#[inline(always)]
pub(super) fn start<W: RowLanes, V: Vector>(v: V, tokens: &TokenBlock<'_>, t: usize, p: usize) -> V::Int {
    let signed = W::WIDE && V::SIGNED;
    v.int(if W::BIAS != 0 && !signed { tokens.starts[t * parts::<W>() + p] } else { 0 })
}

/// The products of four quants of each row and of a token.
#[inline(always)]
pub(super) fn add_products<W: RowLanes, V: Vector>(v: V, sum: V::Int, quants: V::Int, act: V::Int) -> V::Int {
    if W::WIDE && V::SIGNED { v.dot_signed_bytes(sum, quants, act) } else { v.dot_bytes(sum, quants, act) }
}

/// The float operations of one block.
#[inline(always)]
pub(super) fn add_block<W: RowLanes, V: Vector, const R: usize, const T: usize>(
    v: V,
    scales: [&BlockScales<'_>; R],
    tokens: &TokenBlock<'_>,
    sums: &impl PartSums<V, R, T>,
    accs: &mut Floats<V, R, T>,
) {
    let products = products::<W, V, R, T>(v, scales, sums);
    let float = |bits: i32| v.float(f32::from_bits(bits as u32));
    for r in 0..R {
        let scale = floats(v, scales[r].scale);
        for t in 0..T {
            let factor = v.multiply(scale, float(tokens.scales[t]));
            accs[r][t] = v.multiply_add(factor, products[r][t], accs[r][t]);
        }
        match W::OFFSET {
            Offset::None => {}
            Offset::Constant => {
                let offset = floats(v, &scales[r].offset[0]);
                for t in 0..T {
                    accs[r][t] = v.multiply_add(offset, float(tokens.offsets[t]), accs[r][t]);
                }
            }
            Offset::Minima => {
                let offset = floats(v, &scales[r].offset[0]);
                for t in 0..T {
                    let mut sum = v.int(0);
                    for pair in 0..W::MINIMA / 2 {
                        let sums = v.int(tokens.offsets[t * W::MINIMA / 2 + pair]);
                        sum = v.dot_halves(sum, v.ints(&scales[r].minima[pair]), sums);
                    }
                    let factor = v.multiply(offset, float(tokens.scales[t]));
                    accs[r][t] = v.multiply_add(factor, v.to_floats(sum), accs[r][t]);
                }
            }
        }
    }
}
