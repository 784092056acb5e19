//! Activation rows as the road for few rows wants them: quants widened, scales in `f32`.

use vt_core::View;

use crate::block::{ActivationBlock, Offset, WeightBlock};

use super::group::GROUP;

/// Activation rows in scratch: all quants, then per row the bits of scales, the bits of `s`, and the sums of parts.
pub(super) struct Expanded<'a> {
    blocks: usize,
    quants: &'a [i16],
    heads: &'a [i16],
}

/// A group of blocks of one row.
pub(super) struct GroupRow<'a> {
    pub(super) quants: &'a [i16],
    pub(super) scales: [f32; GROUP],
    /// `s` of each block, where the type has it.
    pub(super) sums: [f32; GROUP],
    /// The sums of quants that go with the weights' minima.
    pub(super) part_sums: &'a [i16],
}

/// `i16` beside the quants of a block.
const fn head_size<W: WeightBlock>() -> usize {
    match W::OFFSET {
        Offset::None => 2,
        Offset::Constant => 4,
        Offset::Minima => 2 + W::MINIMA,
    }
}

/// `i16` of a row of `blocks` blocks.
pub(super) const fn expanded_size<W: WeightBlock>(blocks: usize) -> usize {
    blocks * (W::ELEMS + head_size::<W>())
}

impl<'a> Expanded<'a> {
    /// Expands all rows.
    #[inline(always)]
    pub(super) fn new<W: WeightBlock>(acts: View<'_, u8>, blocks: usize, scratch: &'a mut [i16]) -> Self {
        let (quants, rest) = scratch.split_at_mut(acts.rows() * blocks * W::ELEMS);
        let heads = &mut rest[..acts.rows() * blocks * head_size::<W>()];
        if blocks > 0 {
            let rows =
                quants.chunks_exact_mut(blocks * W::ELEMS).zip(heads.chunks_exact_mut(blocks * head_size::<W>()));
            for (t, (quants, heads)) in rows.enumerate() {
                expand_row::<W>(acts.row(t), quants, heads);
            }
        }
        Self { blocks, quants, heads }
    }

    /// Group `g` of row `t`.
    #[inline(always)]
    pub(super) fn group<W: WeightBlock>(&self, t: usize, g: usize) -> GroupRow<'a> {
        let (from, blocks) = (g * GROUP, self.blocks);
        let count = GROUP.min(blocks - from);
        let quants = &self.quants[(t * blocks + from) * W::ELEMS..][..count * W::ELEMS];
        let heads = &self.heads[t * blocks * head_size::<W>()..][..blocks * head_size::<W>()];
        let scales = floats(&heads[2 * from..2 * (from + count)]);
        let rest = &heads[2 * blocks..];
        let (mut sums, mut part_sums) = ([0.0; GROUP], rest);
        match W::OFFSET {
            Offset::None => {}
            Offset::Constant => sums = floats(&rest[2 * from..2 * (from + count)]),
            Offset::Minima => part_sums = &rest[W::MINIMA * from..W::MINIMA * (from + count)],
        }
        GroupRow { quants, scales, sums, part_sums }
    }
}

#[inline(always)]
fn expand_row<W: WeightBlock>(row: &[u8], quants: &mut [i16], heads: &mut [i16]) {
    let blocks = quants.len() / W::ELEMS;
    let (scales, rest) = heads.split_at_mut(2 * blocks);
    for (b, block) in row.chunks_exact(<W::Act as ActivationBlock>::BYTES).enumerate() {
        for (to, &q) in quants[b * W::ELEMS..][..W::ELEMS].iter_mut().zip(W::Act::quants(block)) {
            *to = i16::from(q as i8);
        }
        scales[2 * b..2 * b + 2].copy_from_slice(&halves(W::Act::scale(block)));
        match W::OFFSET {
            Offset::None => {}
            Offset::Constant => rest[2 * b..2 * b + 2].copy_from_slice(&halves(W::Act::sum(block))),
            Offset::Minima => part_sums(&W::Act::sums(block), &mut rest[W::MINIMA * b..][..W::MINIMA]),
        }
    }
}

/// Sums of larger parts out of the sums of sixteenths.
#[inline(always)]
pub(super) fn part_sums(sixteenths: &[i16; 16], parts: &mut [i16]) {
    let each = 16 / parts.len();
    for (part, sums) in parts.iter_mut().zip(sixteenths.chunks_exact(each)) {
        *part = sums.iter().fold(0, |a, b| a.wrapping_add(*b));
    }
}

/// The bits of a float in two halves, the low one first.
#[inline(always)]
fn halves(x: f32) -> [i16; 2] {
    [x.to_bits() as i16, (x.to_bits() >> 16) as i16]
}

/// Up to [`GROUP`] floats in halves; zeros behind them.
#[inline(always)]
fn floats(halves: &[i16]) -> [f32; GROUP] {
    let mut out = [0.0; GROUP];
    for (out, &[low, high]) in out.iter_mut().zip(halves.as_chunks::<2>().0) {
        *out = f32::from_bits(u32::from(low as u16) | (u32::from(high as u16) << 16));
    }
    out
}
