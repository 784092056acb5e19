//! A chunk of weight rows in lanes, as bytes.

use std::marker::PhantomData;

use vt_core::View;

use crate::arch::Vector;
use crate::block::{Offset, Quants, RowLanes, Rows, Scales};

use super::tile::{float_scales, in_halves};
use super::{CHUNK, Lanes, chunk_blocks};
use crate::quant::parts;

/// The most bytes of a row in a chunk.
const MAX_ROW: usize = CHUNK / 32 * 34;

/// Sixteen rows, some of them made up.
pub(in crate::quant) type Padded = [u8; 16 * MAX_ROW];

/// Blocks of the rows: block after block, in a block one vector of 16 rows after the other. Of each: the quants, four
/// elements of each row in a lane; the scales of parts of K-quants; pairs of minima; the scale, and `m` or `-dmin`, as
/// the bits of `f32`.
pub(super) struct Panel<'a, W, const R: usize> {
    data: &'a [Lanes],
    weights: PhantomData<W>,
}

/// One block of 16 rows.
pub(super) struct PanelBlock<'a> {
    pub(super) quants: &'a [Lanes],
    pub(super) scales: BlockScales<'a>,
}

/// What one block of 16 rows has beside quants.
pub(super) struct BlockScales<'a> {
    /// As `f32` if the type's are applied as such, or as `i32`, or as the upper bytes of halves, in pairs as `minima`.
    pub(super) part_scales: &'a [Lanes],
    /// Of four parts in turn the first and the third, then the second and the fourth.
    pub(super) minima: &'a [Lanes],
    pub(super) scale: &'a Lanes,
    /// Nothing, or `m`, or `-dmin`.
    pub(super) offset: &'a [Lanes],
}

/// Lanes of the scales of parts.
const fn part_scales<W: RowLanes>() -> usize {
    match parts::<W>() {
        1 => 0,
        parts if in_halves::<W>() => parts / 2,
        parts => parts,
    }
}

/// [`Lanes`] of [`BlockScales`].
pub(super) const fn scales_size<W: RowLanes>() -> usize {
    let offset = if matches!(W::OFFSET, Offset::None) { 0 } else { 1 };
    part_scales::<W>() + W::MINIMA / 2 + 1 + offset
}

/// [`Lanes`] of one block of 16 rows.
const fn panel_block_size<W: RowLanes>() -> usize {
    W::ELEMS / 4 + scales_size::<W>()
}

/// [`Lanes`] of a panel of R vectors of rows.
pub(super) const fn panel_size<W: RowLanes, const R: usize>() -> usize {
    chunk_blocks::<W>() * R * panel_block_size::<W>()
}

impl<'a, W: RowLanes, const R: usize> Panel<'a, W, R> {
    /// Unpacks all blocks of `rows`, at most 16 R of at most a chunk, and asks for what is `ahead` in as many steps. Of rows
    /// that are missing it holds anything.
    #[inline(always)]
    pub(super) fn new<V: Vector>(
        v: V,
        rows: View<'_, u8>,
        ahead: &[u8],
        padded: &mut Padded,
        scratch: &'a mut [Lanes],
    ) -> Self {
        let size = panel_block_size::<W>();
        let blocks = rows.cols() / W::BYTES;
        let data = &mut scratch[..blocks * R * size];
        let mut ahead = ahead.chunks(ahead.len().div_ceil(R).max(1));
        for vector in 0..R.min(rows.rows().div_ceil(16)) {
            let rows = Rows::new(sixteen(&rows, 16 * vector, padded), ahead.next().unwrap_or_default());
            for (block, data) in data.chunks_exact_mut(R * size).enumerate() {
                unpack_block::<W, V>(v, &rows, block, &mut data[vector * size..][..size]);
            }
        }
        Self { data, weights: PhantomData }
    }

    /// How many blocks of each row.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.data.len() / (R * panel_block_size::<W>())
    }

    /// A block of each row.
    #[inline(always)]
    pub(super) fn block(&self, block: usize) -> [PanelBlock<'a>; R] {
        let size = panel_block_size::<W>();
        let data = &self.data[block * R * size..][..R * size];
        std::array::from_fn(|r| panel_block::<W>(&data[r * size..][..size]))
    }
}

#[inline(always)]
fn panel_block<W: RowLanes>(data: &[Lanes]) -> PanelBlock<'_> {
    let (quants, rest) = data.split_at(W::ELEMS / 4);
    PanelBlock { quants, scales: BlockScales::new::<W>(rest) }
}

impl<'a> BlockScales<'a> {
    /// What [`store_scales`] wrote.
    #[inline(always)]
    pub(super) fn new<W: RowLanes>(data: &'a [Lanes]) -> Self {
        let (part_scales, rest) = data.split_at(part_scales::<W>());
        let (minima, rest) = rest.split_at(W::MINIMA / 2);
        Self { part_scales, minima, scale: &rest[0], offset: &rest[1..] }
    }
}

/// Keeps quants.
struct Stored<'a>(&'a mut [Lanes]);

impl<V: Vector> Quants<V> for Stored<'_> {
    #[inline(always)]
    fn take(&mut self, v: V, place: usize, quants: [V::Int; 4]) {
        let words = &mut self.0[4 * place..][..4];
        for k in 0..4 {
            v.store_ints(quants[k], &mut words[k]);
        }
    }
}

/// The rows from `first` on; copies of them where they are fewer than sixteen.
#[inline(always)]
pub(in crate::quant) fn sixteen<'a>(rows: &View<'a, u8>, first: usize, padded: &'a mut Padded) -> View<'a, u8> {
    let (count, bytes) = (rows.rows() - first, rows.cols());
    if count >= 16 {
        return rows.slice_rows(first, 16);
    }
    for r in 0..count {
        padded[r * bytes..][..bytes].copy_from_slice(rows.row(first + r));
    }
    View::new(padded, 16, bytes, bytes)
}

#[inline(always)]
fn unpack_block<W: RowLanes, V: Vector>(v: V, rows: &Rows<'_>, block: usize, data: &mut [Lanes]) {
    let at = block * W::BYTES;
    let (quants, data) = data.split_at_mut(W::ELEMS / 4);
    let scales = W::quants(v, rows, at, &mut Stored(quants));
    store_scales::<W, V>(v, scales, data);
}

/// Writes [`BlockScales`].
#[inline(always)]
pub(super) fn store_scales<W: RowLanes, V: Vector>(v: V, scales: Scales<V>, data: &mut [Lanes]) {
    let (part_scales, rest) = data.split_at_mut(part_scales::<W>());
    let (minima, rest) = rest.split_at_mut(W::MINIMA / 2);
    store_part_scales::<W, V>(v, scales.parts, part_scales);
    store_minima(v, scales.minima, minima);
    store_floats(v, W::scale_values(v, scales.block), &mut rest[0]);
    if W::OFFSET != Offset::None {
        // `m`, or `-dmin`.
        let sign = if W::MINIMA > 0 { 0x8000 } else { 0 };
        store_floats(v, v.halves_to_floats(v.xor(v.shift_right(scales.block, 16), v.int(sign))), &mut rest[1]);
    }
}

/// One part's scales after the other's.
#[inline(always)]
fn store_part_scales<W: RowLanes, V: Vector>(v: V, bytes: [V::Int; 4], out: &mut [Lanes]) {
    if in_halves::<W>() {
        for (pair, out) in out.iter_mut().enumerate() {
            let pairs = v.shift_left(bytes[pair / 2], 8 * (1 - pair as u32 % 2));
            v.store_ints(v.and(pairs, v.int(0xff00_ff00u32 as i32)), out);
        }
        return;
    }
    for (part, out) in out.iter_mut().enumerate() {
        let top = v.shift_left(bytes[part / 4], 24 - 8 * (part as u32 % 4));
        let scale = v.shift_right_signed(top, 24);
        if float_scales::<W>() {
            store_floats(v, v.to_floats(scale), out);
        } else {
            v.store_ints(scale, out);
        }
    }
}

#[inline(always)]
pub(in crate::quant) fn store_minima<V: Vector>(v: V, bytes: [V::Int; 4], out: &mut [Lanes]) {
    for (pair, out) in out.iter_mut().enumerate() {
        let pairs = v.shift_right(bytes[pair / 2], 8 * (pair as u32 % 2));
        v.store_ints(v.and(pairs, v.int(0x00ff_00ff)), out);
    }
}

#[inline(always)]
pub(in crate::quant) fn store_floats<V: Vector>(v: V, x: V::Float, out: &mut Lanes) {
    let mut lanes = [0.0; 16];
    v.store_floats(x, &mut lanes);
    for i in 0..16 {
        out[i] = lanes[i].to_bits() as i32;
    }
}
