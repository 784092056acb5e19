//! Thirty-two weight rows in lanes, as unsigned bytes.

use std::ops::Range;

use vt_core::View;

use crate::arch::Vector;
use crate::block::{MAX_ELEMS, Offset, WeightBlock, f16_to_f32};

use super::tile::{VECTORS, float_scales, parts};
use super::{Lanes, chunk_blocks};
use crate::quant::signed_offset;

/// A slab of blocks of the rows: block after block, in a block one vector of 16 rows after the other. Of each: the
/// quants, four elements of each row in a lane; the scales of parts of K-quants; pairs of minima; the scale, and `m` or
/// `-dmin`, as the bits of `f32`.
pub(super) struct Panel<'a, W> {
    data: &'a [Lanes],
    weights: std::marker::PhantomData<W>,
}

/// One block of 16 rows.
pub(super) struct PanelBlock<'a> {
    pub(super) quants: &'a [Lanes],
    /// As `f32` if the type's are applied as such, else as `i32`.
    pub(super) part_scales: &'a [Lanes],
    pub(super) minima: &'a [Lanes],
    pub(super) scale: &'a Lanes,
    /// Nothing, or `m`, or `-dmin`.
    pub(super) offset: &'a [Lanes],
}

/// Lanes of the scales of parts.
const fn part_scales<W: WeightBlock>() -> usize {
    if parts::<W>() == 1 { 0 } else { parts::<W>() }
}

/// [`Lanes`] of one block of 16 rows.
pub(super) const fn panel_block_size<W: WeightBlock>() -> usize {
    let offset = if matches!(W::OFFSET, Offset::None) { 0 } else { 1 };
    W::ELEMS / 4 + part_scales::<W>() + W::MINIMA / 2 + 1 + offset
}

impl<'a, W: WeightBlock> Panel<'a, W> {
    /// Unpacks the blocks `range` of `rows`, at most 32.
    #[inline(always)]
    pub(super) fn new<V: Vector>(v: V, rows: View<'_, u8>, range: Range<usize>, scratch: &'a mut [Lanes]) -> Self {
        let size = panel_block_size::<W>();
        let data = &mut scratch[..range.len() * VECTORS * size];
        for (block, data) in range.zip(data.chunks_exact_mut(VECTORS * size)) {
            for (vector, data) in data.chunks_exact_mut(size).enumerate() {
                let first = 16 * vector;
                let count = rows.rows().saturating_sub(first).min(16);
                unpack_block::<W, V>(v, rows.slice_rows(first.min(rows.rows()), count), block, data);
            }
        }
        Self { data, weights: std::marker::PhantomData }
    }

    /// The blocks of chunk `chunk`, of both vectors of rows.
    #[inline(always)]
    pub(super) fn chunk(&self, chunk: usize) -> PanelChunk<'a, W> {
        let size = chunk_blocks::<W>() * VECTORS * panel_block_size::<W>();
        let data = &self.data[chunk * size..];
        PanelChunk { data: &data[..size.min(data.len())], weights: self.weights }
    }
}

/// A chunk of a panel.
pub(super) struct PanelChunk<'a, W> {
    data: &'a [Lanes],
    weights: std::marker::PhantomData<W>,
}

impl<'a, W: WeightBlock> PanelChunk<'a, W> {
    /// Its blocks; the last chunk of a slab may have fewer.
    #[inline(always)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = [PanelBlock<'a>; VECTORS]> {
        self.data.chunks_exact(VECTORS * panel_block_size::<W>()).map(|data| {
            let (first, second) = data.split_at(panel_block_size::<W>());
            [panel_block::<W>(first), panel_block::<W>(second)]
        })
    }
}

#[inline(always)]
fn panel_block<W: WeightBlock>(data: &[Lanes]) -> PanelBlock<'_> {
    let (quants, rest) = data.split_at(W::ELEMS / 4);
    let (part_scales, rest) = rest.split_at(part_scales::<W>());
    let (minima, rest) = rest.split_at(W::MINIMA / 2);
    PanelBlock { quants, part_scales, minima, scale: &rest[0], offset: &rest[1..] }
}

/// Rows that are missing hold anything: their outputs are not kept.
#[inline(always)]
fn unpack_block<W: WeightBlock, V: Vector>(v: V, rows: View<'_, u8>, block: usize, data: &mut [Lanes]) {
    let mut words = [[0; MAX_ELEMS / 4]; 16];
    let (quants, rest) = data.split_at_mut(W::ELEMS / 4);
    for r in 0..rows.rows().min(16) {
        let block = &rows.row(r)[block * W::BYTES..][..W::BYTES];
        write_words::<W>(block, &mut words[r]);
        write_scales::<W>(block, r, rest);
    }
    transpose_words::<V>(v, &words, quants);
}

/// A row's quants, unsigned, in words of four.
#[inline(always)]
fn write_words<W: WeightBlock>(block: &[u8], words: &mut [i32; MAX_ELEMS / 4]) {
    let (mut quants, mut bytes) = ([0; MAX_ELEMS], [0; MAX_ELEMS]);
    W::unpack(block, &[1; 16], &mut quants[..W::ELEMS]);
    for i in 0..W::ELEMS {
        bytes[i] = (quants[i] + W::BIAS) as u8;
    }
    for (word, bytes) in words[..W::ELEMS / 4].iter_mut().zip(bytes.as_chunks().0) {
        *word = i32::from_le_bytes(*bytes);
    }
}

#[inline(always)]
fn write_scales<W: WeightBlock>(block: &[u8], r: usize, rest: &mut [Lanes]) {
    let (part_scales, rest) = rest.split_at_mut(part_scales::<W>());
    let (minima, rest) = rest.split_at_mut(W::MINIMA / 2);
    for (to, scale) in part_scales.iter_mut().zip(W::sub_scales(block)) {
        to[r] = if float_scales::<W>() { f32::from(scale).to_bits() as i32 } else { i32::from(scale) };
    }
    for (to, [low, high]) in minima.iter_mut().zip(W::minima(block).as_chunks().0) {
        to[r] = i32::from(*low) | (i32::from(*high) << 16);
    }
    rest[0][r] = f16_to_f32(W::scale(block)).to_bits() as i32;
    if W::OFFSET != Offset::None {
        rest[1][r] = signed_offset::<W>(W::offset(block)).to_bits() as i32;
    }
}

#[inline(always)]
fn transpose_words<V: Vector>(v: V, words: &[[i32; MAX_ELEMS / 4]; 16], quants: &mut [Lanes]) {
    if quants.len() < 16 {
        for (k, lanes) in quants.iter_mut().enumerate() {
            for r in 0..16 {
                lanes[r] = words[r][k];
            }
        }
        return;
    }
    for (i, quants) in quants.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let mut rows = [v.int(0); 16];
        for r in 0..16 {
            rows[r] = v.ints(&words[r].as_chunks().0[i]);
        }
        let columns = v.transpose(rows);
        for c in 0..16 {
            v.store_ints(columns[c], &mut quants[c]);
        }
    }
}
