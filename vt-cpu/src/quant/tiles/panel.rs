//! A chunk of weight rows as tiles.

use std::marker::PhantomData;

use vt_core::View;

use crate::arch::{Avx512, Vector, Words};
use crate::block::{Offset, Quants, RowLanes, Rows, Scales, WeightBlock};
use crate::quant::dots::{Padded, sixteen, store_floats, store_minima};
use crate::quant::parts;

use super::{Lanes, VECTORS, chunk_blocks};

type Int = <Avx512 as Words>::Int;

/// Blocks of up to 32 rows: block after block, in a block one vector of 16 rows after the other. Of each: the quants, four
/// elements of each row in a lane, or the high and the low parts of their products with scales ([`split`]); pairs of
/// minima; the scale, and `m` or `-dmin`, as the bits of `f32`.
pub(super) struct Panel<'a, W> {
    data: &'a [Lanes],
    vectors: usize,
    weights: PhantomData<W>,
}

/// One block of 16 rows.
pub(super) struct PanelBlock<'a> {
    /// The high parts of products, or all quants.
    pub(super) quants: &'a [Lanes],
    /// The low parts, or nothing.
    pub(super) low: &'a [Lanes],
    pub(super) minima: &'a [Lanes],
    pub(super) scale: &'a Lanes,
    /// Nothing, or `m`, or `-dmin`.
    pub(super) offset: &'a [Lanes],
}

/// Whether panels hold quants times the scales of their parts in two bytes.
pub(super) const fn split<W: WeightBlock>() -> bool {
    parts::<W>() > 1
}

/// Whether bytes of panels are signed.
pub(super) const fn signed<W: WeightBlock>() -> bool {
    !split::<W>() || W::BIAS != 0
}

/// What a high part counts for, as a power of two.
pub(super) const fn high<W: WeightBlock>() -> u32 {
    if W::BIAS == 0 { 3 } else { 5 }
}

/// [`Lanes`] of the quants of one block of 16 rows.
const fn quants_size<W: WeightBlock>() -> usize {
    W::ELEMS / 4 * if split::<W>() { 2 } else { 1 }
}

/// [`Lanes`] of one block of 16 rows.
const fn block_size<W: WeightBlock>() -> usize {
    let offset = if matches!(W::OFFSET, Offset::None) { 0 } else { 1 };
    quants_size::<W>() + W::MINIMA / 2 + 1 + offset
}

/// [`Lanes`] of a panel.
pub(super) const fn panel_size<W: WeightBlock>() -> usize {
    chunk_blocks::<W>() * VECTORS * block_size::<W>()
}

impl<'a, W: RowLanes> Panel<'a, W> {
    /// Unpacks all blocks of `rows`, at most a chunk, and asks for what is `ahead` in as many steps. Of rows that are
    /// missing it holds anything.
    #[inline(always)]
    pub(super) fn new(
        v: Avx512,
        rows: View<'_, u8>,
        ahead: &[u8],
        padded: &mut Padded,
        scratch: &'a mut [Lanes],
    ) -> Self {
        let size = block_size::<W>();
        let blocks = rows.cols() / W::BYTES;
        let data = &mut scratch[..blocks * VECTORS * size];
        let mut ahead = ahead.chunks(ahead.len().div_ceil(VECTORS).max(1));
        let vectors = rows.rows().div_ceil(16).min(VECTORS);
        for vector in 0..vectors {
            let rows = Rows::new(sixteen(&rows, 16 * vector, padded), ahead.next().unwrap_or_default());
            for (block, data) in data.chunks_exact_mut(VECTORS * size).enumerate() {
                unpack_block::<W>(v, &rows, block * W::BYTES, &mut data[vector * size..][..size]);
            }
        }
        Self { data, vectors, weights: PhantomData }
    }

    /// How many vectors of rows there are.
    #[inline(always)]
    pub(super) fn vectors(&self) -> usize {
        self.vectors
    }

    /// How many blocks of each row.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.data.len() / (VECTORS * block_size::<W>())
    }

    /// The blocks of a vector's rows from `block` on, with those of the other vectors between.
    #[inline(always)]
    pub(super) fn from(&self, block: usize, vector: usize) -> &'a [Lanes] {
        &self.data[(block * VECTORS + vector) * block_size::<W>()..]
    }

    /// A block of the rows of a vector.
    #[inline(always)]
    pub(super) fn block(&self, block: usize, vector: usize) -> PanelBlock<'a> {
        let data = &self.from(block, vector)[..block_size::<W>()];
        let (quants, rest) = data.split_at(W::ELEMS / 4);
        let (low, rest) = rest.split_at(quants_size::<W>() - W::ELEMS / 4);
        let (minima, rest) = rest.split_at(W::MINIMA / 2);
        PanelBlock { quants, low, minima, scale: &rest[0], offset: &rest[1..] }
    }
}

#[inline(always)]
fn unpack_block<W: RowLanes>(v: Avx512, rows: &Rows<'_>, at: usize, data: &mut [Lanes]) {
    let (quants, rest) = data.split_at_mut(quants_size::<W>());
    let (quants, low) = quants.split_at_mut(W::ELEMS / 4);
    let scales = W::quants(v, rows, at, &mut Stored::<W>(&mut *quants, PhantomData));
    let negative = split::<W>() && W::BIAS != 0;
    if negative {
        split_negative_products::<W>(v, &scales, quants, low);
    } else if split::<W>() {
        split_products::<W>(v, &scales, quants, low);
    }
    let (minima, rest) = rest.split_at_mut(W::MINIMA / 2);
    store_minima(v, scales.minima, minima);
    let sign = if negative { 0x8000 } else { 0 };
    store_floats(v, W::scale_values(v, v.xor(scales.block, v.int(sign))), &mut rest[0]);
    if W::OFFSET != Offset::None {
        // `m`, or `-dmin`.
        let sign = if W::MINIMA > 0 { 0x8000 } else { 0 };
        store_floats(v, v.halves_to_floats(v.xor(v.shift_right(scales.block, 16), v.int(sign))), &mut rest[1]);
    }
}

/// Keeps quants: signed, unless they are to be multiplied with scales.
struct Stored<'a, W>(&'a mut [Lanes], PhantomData<W>);

impl<W: WeightBlock> Quants<Avx512> for Stored<'_, W> {
    #[inline(always)]
    fn take(&mut self, v: Avx512, place: usize, quants: [Int; 4]) {
        let less = v.int(i32::from_le_bytes([W::BIAS.wrapping_neg() as u8; 4]));
        let words = &mut self.0[4 * place..][..4];
        for k in 0..4 {
            let quants = if split::<W>() || W::BIAS == 0 { quants[k] } else { v.add_bytes(quants[k], less) };
            v.store_ints(quants, &mut words[k]);
        }
    }
}

/// The scale of part `p` in both halves of lanes, unsigned.
#[inline(always)]
fn part_scale(v: Avx512, scales: &Scales<Avx512>, p: usize) -> Int {
    v.byte_in_halves(scales.parts[p / 4], p % 4)
}

/// Quants of at most five bits times the higher and the lower three of the six bits of their scale: bytes.
#[inline(always)]
fn split_products<W: WeightBlock>(v: Avx512, scales: &Scales<Avx512>, quants: &mut [Lanes], low: &mut [Lanes]) {
    let words = W::ELEMS / 4 / parts::<W>();
    for p in 0..parts::<W>() {
        let scale = part_scale(v, scales, p);
        let bits = v.int(7 << 16 | 7);
        let (low_bits, high_bits) = (v.and(scale, bits), v.and(v.shift_right(scale, 3), bits));
        for w in p * words..(p + 1) * words {
            // No byte's product reaches the next one.
            let x = v.ints(&quants[w]);
            v.store_ints(v.multiply_halves(x, low_bits), &mut low[w]);
            v.store_ints(v.multiply_halves(x, high_bits), &mut quants[w]);
        }
    }
}

/// With n the scale's negative, -127 to 128, and q a quant with its bias of 32, `(q - 32) n` lies from -4096 to 4064 (its
/// negative would take one value more). Its low part is that of `q n`, five bits; its high one, that of `q n` less n,
/// lies from -128 to 127.
#[inline(always)]
fn split_negative_products<W: WeightBlock>(
    v: Avx512,
    scales: &Scales<Avx512>,
    quants: &mut [Lanes],
    low: &mut [Lanes],
) {
    const { assert!(!split::<W>() || W::BIAS == 0 || W::BIAS == 32) };
    let words = W::ELEMS / 4 / parts::<W>();
    let (even, five, five_above) = (v.int(0x00ff_00ff), v.int(0x001f_001f), v.int(0x1f00_1f00));
    for p in 0..parts::<W>() {
        let top = v.shift_left(scales.parts[p / 4], 24 - 8 * (p as u32 % 4));
        let negative = v.add_ints(v.xor(v.shift_right_signed(top, 24), v.int(-1)), v.int(1));
        let factor = v.or(v.and(negative, v.int(0xffff)), v.shift_left(negative, 16));
        let less = v.byte_in_bytes(scales.parts[p / 4], p % 4);
        for w in p * words..(p + 1) * words {
            let x = v.ints(&quants[w]);
            let evens = v.multiply_halves(v.and(x, even), factor);
            let odds = v.multiply_halves(v.and(v.shift_right(x, 8), even), factor);
            let high =
                v.or(v.and(v.shift_right(evens, 5), even), v.and(v.shift_left(odds, 3), v.int(0xff00_ff00u32 as i32)));
            v.store_ints(v.add_bytes(high, less), &mut quants[w]);
            v.store_ints(v.or(v.and(evens, five), v.and(v.shift_left(odds, 8), five_above)), &mut low[w]);
        }
    }
}
