//! Q2_K as panels hold it: quants times the scales of their parts, one part in place of sixteen. It pays where quants
//! meet five tokens or more.

use crate::arch::Words;

use super::Q2K;
use super::folded::folded_blocks;
use super::lanes::{Quants, RowLanes, Rows, Scales};
use super::q2_k::{packed_parts, quarter, scales_of};

/// The blocks of [`Q2K`]; see the module.
#[derive(Clone, Copy, Debug)]
pub struct FoldedQ2K;

folded_blocks!(FoldedQ2K of Q2K, bias 0);

impl RowLanes for FoldedQ2K {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 45;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let (scales, minima) = packed_parts(v, rows, at);
        // Places are constants: the compiler does not unroll a loop of this size.
        take_quarters::<V, 0>(v, rows.words(v, at + 16), scales, to);
        take_quarters::<V, 1>(v, rows.words(v, at + 32), scales, to);
        take_quarters::<V, 8>(v, rows.words(v, at + 48), scales, to);
        take_quarters::<V, 9>(v, rows.words(v, at + 64), scales, to);
        Scales { minima, ..Scales::of_block(v, scales_of(v, rows, at)) }
    }
}

/// What sixteen bytes hold, of part PART and every other one of the six behind it, times their scales.
#[inline(always)]
fn take_quarters<V: Words, const PART: usize>(v: V, bytes: [V::Int; 4], scales: [V::Int; 4], to: &mut impl Quants<V>) {
    to.take(v, PART, scaled(v, quarter::<V, 0>(v, bytes), scales, PART));
    to.take(v, PART + 2, scaled(v, quarter::<V, 1>(v, bytes), scales, PART + 2));
    to.take(v, PART + 4, scaled(v, quarter::<V, 2>(v, bytes), scales, PART + 4));
    to.take(v, PART + 6, scaled(v, quarter::<V, 3>(v, bytes), scales, PART + 6));
}

/// Quants times the scale of a part: at most 3 * 15, so that no byte's product reaches the next one.
#[inline(always)]
fn scaled<V: Words>(v: V, mut quants: [V::Int; 4], scales: [V::Int; 4], part: usize) -> [V::Int; 4] {
    let scale = v.byte_in_halves(scales[part / 4], part % 4);
    for k in 0..4 {
        quants[k] = v.multiply_halves(quants[k], scale);
    }
    quants
}
