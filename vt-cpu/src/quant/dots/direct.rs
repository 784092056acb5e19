//! The road for very few tokens: quants are multiplied as they are unpacked, and never stored.

use std::marker::PhantomData;

use vt_core::{View, ViewMut};

use crate::arch::Vector;
use crate::block::{Quants, RowLanes, Rows, WeightBlock};

use super::LANES;
use super::panel::{BlockScales, scales_size, store_scales};
use super::tile::{Ints, PartSums, add_block, add_products, halves, in_halves, part_words, start};
use super::tokens::{TokenBlock, Tokens, token_block_size};
use crate::quant::ahead::ahead;
use crate::quant::parts;

/// The most tokens of this road.
pub(super) const MAX_TOKENS: usize = 4;

/// The most parts of a block.
const MAX_PARTS: usize = 16;

/// Sums of a block without parts: one alone would wait for itself.
const SUMS: usize = 4;

/// The most [`Lanes`] of a block's scales.
const MAX_SCALES: usize = 32;

/// The `i32` elements of scratch for `m` tokens of so many blocks.
pub(super) fn scratch<W: WeightBlock>(m: usize, blocks: usize) -> usize {
    m * blocks * token_block_size::<W>()
}

/// All of `out`, for at least sixteen rows of weights and 1 to [`MAX_TOKENS`] of activations.
#[inline(always)]
pub(super) fn direct<W: RowLanes, V: Vector>(
    v: V,
    weights: &View<'_, u8>,
    acts: &View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let tokens = &Tokens::<W>::new::<MAX_TOKENS>(*acts, 0..weights.cols() / W::BYTES, scratch);
    match out.rows() {
        1 => multiply::<W, V, 1>(v, weights, tokens, out),
        2 => multiply::<W, V, 2>(v, weights, tokens, out),
        3 => multiply::<W, V, 3>(v, weights, tokens, out),
        _ => multiply::<W, V, MAX_TOKENS>(v, weights, tokens, out),
    }
}

/// Sixteen rows after the other; the last ones again where they are no multiple.
#[inline(always)]
fn multiply<W: RowLanes, V: Vector, const T: usize>(
    v: V,
    weights: &View<'_, u8>,
    tokens: &Tokens<'_, W>,
    out: &mut ViewMut<'_, f32>,
) {
    for row in (0..weights.rows()).step_by(LANES) {
        let row = row.min(weights.rows() - LANES);
        let later = ahead::<1>(weights, row, &(0..weights.cols()));
        let rows = Rows::new(weights.slice_rows(row, LANES), later);
        let mut accs = [[v.float(0.0); T]];
        for block in 0..weights.cols() / W::BYTES {
            multiply_block::<W, V, T>(v, &rows, block * W::BYTES, &tokens.block::<T>(block), &mut accs);
        }
        for t in 0..T {
            let mut lanes = [0.0; LANES];
            v.store_floats(accs[0][t], &mut lanes);
            out.row_mut(t)[row..row + LANES].copy_from_slice(&lanes);
        }
    }
}

#[inline(always)]
fn multiply_block<W: RowLanes, V: Vector, const T: usize>(
    v: V,
    rows: &Rows<'_>,
    at: usize,
    tokens: &TokenBlock<'_>,
    accs: &mut [[V::Float; T]; 1],
) {
    const { assert!(scales_size::<W>() <= MAX_SCALES) };
    let mut sums = Summed::<W, V, T>::new(v, tokens);
    let scales = W::quants(v, rows, at, &mut sums);
    let mut data = [[0; LANES]; MAX_SCALES];
    store_scales::<W, V>(v, scales, &mut data[..scales_size::<W>()]);
    let scales = BlockScales::new::<W>(&data[..scales_size::<W>()]);
    add_block::<W, V, 1, T>(v, [&scales], tokens, &sums, accs);
}

/// The sums of all parts, or of pairs of them in halves, or of a folded block in turn, growing with each sixteen quants.
struct Summed<'a, W, V: Vector, const T: usize> {
    tokens: &'a TokenBlock<'a>,
    sums: [[V::Int; T]; MAX_PARTS],
    block: PhantomData<W>,
}

impl<'a, W: RowLanes, V: Vector, const T: usize> Summed<'a, W, V, T> {
    #[inline(always)]
    fn new(v: V, tokens: &'a TokenBlock<'a>) -> Self {
        let mut sums = [[v.int(0); T]; MAX_PARTS];
        if !in_halves::<W>() {
            for p in 0..parts::<W>() {
                for t in 0..T {
                    sums[p][t] = start::<W, V>(v, tokens, t, p);
                }
            }
        }
        Self { tokens, sums, block: PhantomData }
    }
}

impl<W: RowLanes, V: Vector, const T: usize> Quants<V> for Summed<'_, W, V, T> {
    #[inline(always)]
    fn take(&mut self, v: V, place: usize, quants: [V::Int; 4]) {
        for t in 0..T {
            let acts = &self.tokens.quants[t * W::ELEMS / 4..][..W::ELEMS / 4][4 * place..][..4];
            if in_halves::<W>() {
                let sum = dot::<W, V>(v, start::<W, V>(v, self.tokens, t, place), quants, acts);
                let pair = &mut self.sums[place / 4 * 2 + place % 2][t];
                *pair = if place % 4 < 2 { sum } else { halves(v, *pair, sum) };
            } else {
                let sum = &mut self.sums[if W::FOLDED { place % SUMS } else { 4 * place / part_words::<W>() }][t];
                *sum = dot::<W, V>(v, *sum, quants, acts);
            }
        }
    }
}

#[inline(always)]
fn dot<W: RowLanes, V: Vector>(v: V, mut sum: V::Int, quants: [V::Int; 4], acts: &[i32]) -> V::Int {
    for k in 0..4 {
        sum = add_products::<W, V>(v, sum, quants[k], v.int(acts[k]));
    }
    sum
}

impl<W: RowLanes, V: Vector, const T: usize> PartSums<V, 1, T> for Summed<'_, W, V, T> {
    #[inline(always)]
    fn part(&self, v: V, p: usize) -> Ints<V, 1, T> {
        let mut sums = self.sums[p];
        if W::FOLDED {
            for t in 0..T {
                for i in 1..SUMS {
                    sums[t] = v.add_ints(sums[t], self.sums[i][t]);
                }
            }
        }
        [sums]
    }
    #[inline(always)]
    fn pair(&self, _: V, pair: usize) -> Ints<V, 1, T> {
        [self.sums[pair]]
    }
}
