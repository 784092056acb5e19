//! The road for few activation rows on tiers without dot products of bytes: one pass over the weights, K in the lanes.

use vt_core::{View, ViewMut};

use crate::arch::prefetch;
use crate::block::{MAX_ELEMS, Offset, WeightBlock};

use super::blocks_per_row;
use super::expanded::{Expanded, GroupRow, expanded_size};
use super::group::{Factors, GROUP, Heads};

/// Bytes between the weights that are computed and those that are asked for: so far ahead the hardware does not look.
pub(super) const AHEAD: usize = 16 << 10;

/// Activation rows that share one pass over the weights.
const SHARED: usize = 32;

/// The `i16` elements of scratch that [`few_rows`] needs for `m` activation rows of `k` elements.
pub fn few_rows_scratch<W: WeightBlock>(m: usize, k: usize) -> usize {
    m.min(SHARED) * expanded_size::<W>(k / W::ELEMS)
}

/// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`, and
/// `out` `[m, n]`. Reads the weights once for up to 32 activation rows.
///
/// # Panics
/// If the shapes do not belong together, or `scratch` is shorter than [`few_rows_scratch`] says.
#[inline(always)]
pub fn few_rows<W: WeightBlock>(
    weights: View<'_, u8>,
    acts: View<'_, u8>,
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i16],
) {
    let blocks = blocks_per_row::<W>(&weights, &acts, out);
    let (m, n) = (acts.rows(), weights.rows());
    let mut heads = Heads::ZERO;
    let mut accs = [0.0; SHARED];
    let mut unpacked = [0; GROUP * MAX_ELEMS];
    for from in (0..m).step_by(SHARED) {
        let count = SHARED.min(m - from);
        let acts = Expanded::new::<W>(acts.slice_rows(from, count), blocks, scratch);
        let mut out = out.tile(from, count, 0, n);
        let ahead = AHEAD.div_ceil(weights.cols().max(1));
        for i in 0..n {
            let (row, next) = (weights.row(i), weights.row((i + ahead).min(n - 1)));
            for (g, (group, next)) in row.chunks(GROUP * W::BYTES).zip(next.chunks(GROUP * W::BYTES)).enumerate() {
                prefetch(next);
                heads.read::<W>(group);
                multiply_group::<W>(group, &heads, &acts, (g, &mut unpacked, &mut accs[..count]));
            }
            for (t, acc) in accs[..count].iter_mut().enumerate() {
                out.row_mut(t)[i] = *acc;
                *acc = 0.0;
            }
        }
    }
}

/// Adds a group of weight blocks to the accumulators of all activation rows: unpacks it for the first row, and reads
/// the first-level cache for the others. The chain of float operations stays in the loop over blocks, so that the
/// compiler puts a block's elements in the lanes and not several blocks.
#[inline(always)]
fn multiply_group<W: WeightBlock>(
    group: &[u8],
    heads: &Heads,
    acts: &Expanded<'_>,
    (g, unpacked, accs): (usize, &mut [i16], &mut [f32]),
) {
    let keep = accs.len() > 1;
    for (t, acc) in accs.iter_mut().enumerate() {
        let row = acts.group::<W>(t, g);
        let factors = heads.factors::<W>(&row);
        let mut sum = *acc;
        let blocks = unpacked.chunks_exact_mut(W::ELEMS).zip(row.quants.chunks_exact(W::ELEMS));
        if t == 0 {
            for (i, ((unpacked, quants), block)) in blocks.zip(group.chunks_exact(W::BYTES)).enumerate().take(GROUP) {
                // Through a local array: writes behind a slice might change the block, and would not be vectorized.
                let mut weights = [0; MAX_ELEMS];
                W::unpack(block, &heads.sub_scales[i], &mut weights[..W::ELEMS]);
                if keep {
                    unpacked.copy_from_slice(&weights[..W::ELEMS]);
                }
                sum = step::<W>(sum, i, dot(&weights[..W::ELEMS], quants), heads, &factors, &row);
            }
        } else {
            for (i, (unpacked, quants)) in blocks.enumerate().take(GROUP) {
                sum = step::<W>(sum, i, dot(unpacked, quants), heads, &factors, &row);
            }
        }
        *acc = sum;
    }
}

/// The float operations of block `i` of a group.
#[inline(always)]
fn step<W: WeightBlock>(acc: f32, i: usize, product: i32, heads: &Heads, factors: &Factors, act: &GroupRow<'_>) -> f32 {
    let acc = factors.scale[i].mul_add(product as f32, acc);
    match W::OFFSET {
        Offset::None => acc,
        Offset::Constant => heads.offset[i].mul_add(act.sums[i], acc),
        Offset::Minima => {
            let sums = &act.part_sums[i * W::MINIMA..][..W::MINIMA];
            factors.offset[i].mul_add(minima_product(&heads.minima[i][..W::MINIMA], sums) as f32, acc)
        }
    }
}

#[inline(always)]
fn minima_product(minima: &[i8], sums: &[i16]) -> i32 {
    let mut sum = 0i32;
    for (&minimum, &part) in minima.iter().zip(sums) {
        sum += i32::from(minimum) * i32::from(part);
    }
    sum
}

/// The sum of products, exact: a block's is below 2^31.
#[inline(always)]
fn dot(a: &[i16], b: &[i16]) -> i32 {
    let mut sum = 0i32;
    for (&a, &b) in a.iter().zip(b) {
        sum += i32::from(a) * i32::from(b);
    }
    sum
}
