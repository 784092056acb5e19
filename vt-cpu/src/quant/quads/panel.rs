//! A chunk of weight rows as signed bytes.

use std::marker::PhantomData;

use vt_core::View;

use crate::arch::{Quad, Quads};
use crate::block::{Offset, Quants, RowLanes, Rows, Scales, WeightBlock};
use crate::quant::parts;

use super::{CHUNK, PANEL, ROWS, TILES, chunk_blocks, registers};

/// The most bytes of a row in a chunk.
const MAX_ROW: usize = CHUNK / 32 * 34;

/// Four rows, some of them made up.
pub(super) type Padded = [u8; 4 * MAX_ROW];

/// Tile after tile, in each block after block of eight rows. Of each: the quants, as [`Quads::arrange`] has them; the scales
/// of parts of K-quants; minima, like quants; the scale, and `m` or `-dmin`, as the bits of `f32`. Scales are as
/// [`Quads::store_rows`] has them.
pub(super) struct Panel<'a, W, V> {
    data: &'a [Quad],
    weights: PhantomData<(W, V)>,
}

/// One block of eight rows.
pub(super) struct PanelBlock<'a> {
    pub(super) quants: &'a [Quad],
    pub(super) part_scales: &'a [Quad],
    pub(super) minima: &'a [Quad],
    pub(super) scale: &'a [Quad],
    /// Nothing, or `m`, or `-dmin`.
    pub(super) offset: &'a [Quad],
}

/// Parts with scales that are to be applied.
const fn scaled_parts<W: WeightBlock>() -> usize {
    if parts::<W>() == 1 { 0 } else { parts::<W>() }
}

/// [`Quad`]s of one block of eight rows.
const fn block_size<W: WeightBlock, V: Quads>() -> usize {
    let offset = if matches!(W::OFFSET, Offset::None) { 0 } else { 1 };
    (W::ELEMS + W::MINIMA) * ROWS / 16 + (scaled_parts::<W>() + 1 + offset) * registers::<V>()
}

/// [`Quad`]s of a panel.
pub(super) const fn panel_size<W: WeightBlock, V: Quads>() -> usize {
    TILES * chunk_blocks::<W>() * block_size::<W, V>()
}

impl<'a, W: RowLanes, V: Quads> Panel<'a, W, V> {
    /// Unpacks all blocks of `rows`, at most a panel's and at most a chunk, and asks for what is `ahead` in as many steps. Of
    /// rows that are missing it holds anything.
    #[inline(always)]
    pub(super) fn new(v: V, rows: View<'_, u8>, ahead: &[u8], padded: &mut Padded, scratch: &'a mut [Quad]) -> Self {
        let (blocks, size) = (rows.cols() / W::BYTES, block_size::<W, V>());
        let data = &mut scratch[..TILES * blocks * size];
        let mut ahead = ahead.chunks(ahead.len().div_ceil(PANEL / 4).max(1));
        for quad in 0..rows.rows().div_ceil(4) {
            let rows = Rows::new(four(&rows, 4 * quad, padded), ahead.next().unwrap_or_default());
            let tile = &mut data[quad / 2 * blocks * size..][..blocks * size];
            for (block, data) in tile.chunks_exact_mut(size).enumerate() {
                unpack_block::<W, V>(v, &rows, block * W::BYTES, quad % 2, data);
            }
        }
        Self { data, weights: PhantomData }
    }

    /// The blocks of a tile.
    #[inline(always)]
    pub(super) fn tile(&self, tile: usize) -> &'a [Quad] {
        &self.data[tile * self.data.len() / TILES..][..self.data.len() / TILES]
    }
}

/// How many blocks a tile has.
#[inline(always)]
pub(super) fn blocks<W: WeightBlock, V: Quads>(tile: &[Quad]) -> usize {
    tile.len() / block_size::<W, V>()
}

/// A block of a tile.
#[inline(always)]
pub(super) fn block<W: WeightBlock, V: Quads>(tile: &[Quad], block: usize) -> PanelBlock<'_> {
    let data = &tile[block * block_size::<W, V>()..][..block_size::<W, V>()];
    let (quants, data) = data.split_at(W::ELEMS * ROWS / 16);
    let (part_scales, data) = data.split_at(scaled_parts::<W>() * registers::<V>());
    let (minima, data) = data.split_at(W::MINIMA * ROWS / 16);
    let (scale, offset) = data.split_at(registers::<V>());
    PanelBlock { quants, part_scales, minima, scale, offset }
}

/// The rows from `first` on; copies of them where they are fewer than four.
#[inline(always)]
fn four<'a>(rows: &View<'a, u8>, first: usize, padded: &'a mut Padded) -> View<'a, u8> {
    let (count, bytes) = (rows.rows() - first, rows.cols());
    if count >= 4 {
        return rows.slice_rows(first, 4);
    }
    for r in 0..count {
        padded[r * bytes..][..bytes].copy_from_slice(rows.row(first + r));
    }
    View::new(padded, 4, bytes, bytes)
}

/// Keeps quants of a tile's first or second four rows, less their bias.
struct Stored<'a, W> {
    data: &'a mut [Quad],
    quad: usize,
    weights: PhantomData<W>,
}

impl<W: RowLanes, V: Quads> Quants<V> for Stored<'_, W> {
    #[inline(always)]
    fn take(&mut self, v: V, place: usize, mut quants: [V::Int; 4]) {
        if W::BIAS != 0 && !W::WIDE {
            for k in 0..4 {
                quants[k] = v.add_bytes(quants[k], v.int(i32::from_le_bytes([(-W::BIAS) as u8; 4])));
            }
        }
        store_words(v, [quants[0], quants[1]], (2 * place, self.quad), self.data);
        store_words(v, [quants[2], quants[3]], (2 * place + 1, self.quad), self.data);
    }
}

/// Eight elements of a tile's first or second four rows.
#[inline(always)]
fn store_words<V: Quads>(v: V, words: [V::Int; 2], (step, quad): (usize, usize), data: &mut [Quad]) {
    let [first, second] = v.arrange(words);
    v.store(first, &mut data[4 * step + 2 * quad]);
    v.store(second, &mut data[4 * step + 2 * quad + 1]);
}

#[inline(always)]
fn unpack_block<W: RowLanes, V: Quads>(v: V, rows: &Rows<'_>, at: usize, quad: usize, data: &mut [Quad]) {
    let (quants, data) = data.split_at_mut(W::ELEMS * ROWS / 16);
    let scales = W::quants(v, rows, at, &mut Stored::<W> { data: quants, quad, weights: PhantomData });
    store_scales::<W, V>(v, scales, quad, data);
}

/// What a block has beside quants.
#[inline(always)]
fn store_scales<W: RowLanes, V: Quads>(v: V, scales: Scales<V>, quad: usize, data: &mut [Quad]) {
    let own = quad * V::TOKENS..(quad + 1) * V::TOKENS;
    let (part_scales, data) = data.split_at_mut(scaled_parts::<W>() * registers::<V>());
    for (part, to) in part_scales.chunks_exact_mut(registers::<V>()).enumerate() {
        let top = v.shift_left(scales.parts[part / 4], 24 - 8 * (part as u32 % 4));
        v.store_rows(v.shift_right_signed(top, 24), &mut to[own.clone()]);
    }
    let (minima, data) = data.split_at_mut(W::MINIMA * ROWS / 16);
    for step in 0..W::MINIMA / 8 {
        store_words(v, [scales.minima[2 * step], scales.minima[2 * step + 1]], (step, quad), minima);
    }
    let (scale, offset) = data.split_at_mut(registers::<V>());
    v.store_rows(v.float_bits(W::scale_values(v, scales.block)), &mut scale[own.clone()]);
    if W::OFFSET != Offset::None {
        // `m`, or `-dmin`.
        let sign = if W::MINIMA > 0 { 0x8000 } else { 0 };
        let bits = v.xor(v.shift_right(scales.block, 16), v.int(sign));
        v.store_rows(v.float_bits(v.halves_to_floats(bits)), &mut offset[own]);
    }
}
