//! Sixteen weight rows in lanes.

use vt_core::View;

use crate::block::{MAX_ELEMS, Offset, WeightBlock};

use super::signed_offset;
use super::tile::{Lanes, ROWS};

/// A slab of blocks of 16 weight rows: of each block the integer weights, the scales, then the offsets and minima that
/// the type has. Rows that are missing are zero.
pub(super) struct Panel<'a, W> {
    data: &'a [Lanes],
    weights: std::marker::PhantomData<W>,
}

/// One block of 16 rows.
pub(super) struct PanelBlock<'a> {
    pub(super) weights: &'a [Lanes],
    pub(super) scale: &'a Lanes,
    /// Empty, or `m`, or `-dmin`.
    pub(super) offset: &'a [Lanes],
    pub(super) minima: &'a [Lanes],
}

/// [`Lanes`] of one block of a panel.
pub(super) const fn panel_block_size<W: WeightBlock>() -> usize {
    match W::OFFSET {
        Offset::None => W::ELEMS + 1,
        Offset::Constant => W::ELEMS + 2,
        Offset::Minima => W::ELEMS + 2 + W::MINIMA,
    }
}

impl<'a, W: WeightBlock> Panel<'a, W> {
    /// Unpacks the blocks `from .. from + blocks` of `rows`, at most 16.
    #[inline(always)]
    pub(super) fn new(rows: View<'_, u8>, from: usize, blocks: usize, scratch: &'a mut [Lanes]) -> Self {
        let data = &mut scratch[..blocks * panel_block_size::<W>()];
        for (i, data) in data.chunks_exact_mut(panel_block_size::<W>()).enumerate() {
            unpack_block::<W>(rows, from + i, data);
        }
        Self { data, weights: std::marker::PhantomData }
    }

    /// Block `block` of the slab.
    #[inline(always)]
    pub(super) fn block(&self, block: usize) -> PanelBlock<'a> {
        let data = &self.data[block * panel_block_size::<W>()..][..panel_block_size::<W>()];
        let (weights, rest) = data.split_at(W::ELEMS);
        let (scale, rest) = (&rest[0], &rest[1..]);
        let (offset, minima) = rest.split_at(rest.len().min(1));
        PanelBlock { weights, scale, offset, minima }
    }
}

#[inline(always)]
fn unpack_block<W: WeightBlock>(rows: View<'_, u8>, block: usize, data: &mut [Lanes]) {
    let mut pairs = [[0; ROWS]; MAX_ELEMS / 2];
    let (weights, rest) = data.split_at_mut(W::ELEMS);
    if rows.rows() < ROWS {
        rest.fill([0.0; ROWS]);
    }
    for r in 0..rows.rows().min(ROWS) {
        let block = &rows.row(r)[block * W::BYTES..][..W::BYTES];
        let mut unpacked = [0; MAX_ELEMS];
        W::unpack(block, &W::sub_scales(block), &mut unpacked[..W::ELEMS]);
        for (to, pair) in pairs[..W::ELEMS / 2].iter_mut().zip(unpacked.as_chunks::<2>().0) {
            to[r] = u32::from(pair[0] as u16) | (u32::from(pair[1] as u16) << 16);
        }
        rest[0][r] = W::scale_value(W::scale(block));
        if W::OFFSET != Offset::None {
            rest[1][r] = signed_offset::<W>(W::offset(block));
            for (to, minimum) in rest[2..].iter_mut().zip(W::minima(block)) {
                to[r] = f32::from(minimum);
            }
        }
    }
    for (to, pair) in weights.as_chunks_mut::<2>().0.iter_mut().zip(&pairs) {
        split_pairs(pair, to);
    }
}

/// The low and the high `i16` of each lane, as `f32`.
#[inline(always)]
fn split_pairs(pairs: &[u32; ROWS], out: &mut [Lanes; 2]) {
    let [low, high] = out;
    for l in 0..ROWS {
        low[l] = ((pairs[l] << 16) as i32 >> 16) as f32;
    }
    for l in 0..ROWS {
        high[l] = (pairs[l] as i32 >> 16) as f32;
    }
}
