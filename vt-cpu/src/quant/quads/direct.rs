//! The road for one token: the quants of four rows are multiplied as they are unpacked, and never stored.

use std::marker::PhantomData;

use vt_core::{View, ViewMut};

use crate::arch::{Quad, Quads};
use crate::block::{ActivationBlock, Offset, Quants, RowLanes, Rows, Scales};
use crate::quant::ahead::ahead;
use crate::quant::parts;

use super::PANEL;
use super::tile::{ANY, MADE, MINIMA_FIT, fit};
use super::tokens::{SUMS, has_least, sums_in_bytes, words};

/// Weight rows that are computed at a time.
pub(super) const ROWS: usize = 4;

/// The most parts of a block.
const MAX_PARTS: usize = 16;

/// Whether quants come with their bias, which is taken off where sums start.
const fn biased<W: RowLanes>() -> bool {
    W::BIAS != 0 && !W::WIDE
}

/// The greatest magnitude of quants as they come. With a bias of a power of two they are all numbers of so many bits.
const fn greatest<W: RowLanes>() -> usize {
    match W::BIAS as usize {
        bias if !biased::<W>() || bias == 0 => W::MAGNITUDE,
        bias if bias.is_power_of_two() => 2 * bias - 1,
        bias => W::MAGNITUDE + bias,
    }
}

/// Words of the token's block: its quants and, of minima, the high and the low bits of its sums, as
/// [`Quads::spread_words`] has them; where the sums of parts start, the scale, and `s`.
const fn block_size<W: RowLanes, V: Quads>() -> usize {
    let sums = if W::MINIMA > 0 { 2 * SUMS } else { 0 };
    (W::ELEMS / 4 + sums) * V::SPREAD + parts::<W>() + 2
}

/// The `i32` elements of scratch for a token of so many blocks.
pub(super) fn scratch<W: RowLanes, V: Quads>(blocks: usize) -> usize {
    blocks * block_size::<W, V>()
}

/// Whether this road multiplies the token. Sums of sixteen parts, beside those in halves, leave too few registers.
#[inline(always)]
pub(super) fn suits<W: RowLanes, V: Quads>(token: &[u8]) -> bool {
    let mut blocks = token.chunks_exact(<W::Act as ActivationBlock>::BYTES);
    let bounded = const { V::HALVES && fit(greatest::<W>(), MADE) > fit(greatest::<W>(), ANY) };
    !(V::HALVES && parts::<W>() == 16) && (!bounded || blocks.all(|block| !has_least(W::Act::quants(block))))
}

/// All of `out`, for at least [`ROWS`] rows of weights.
#[inline(always)]
pub(super) fn direct<W: RowLanes, V: Quads>(
    v: V,
    weights: &View<'_, u8>,
    token: &[u8],
    out: &mut ViewMut<'_, f32>,
    scratch: &mut [i32],
) {
    let size = block_size::<W, V>();
    let token = write_token::<W, V>(token, &mut scratch[..weights.cols() / W::BYTES * size]);
    for panel in (0..weights.rows()).step_by(PANEL) {
        let later = ahead::<1>(weights, panel, &(0..weights.cols()));
        let mut later = later.chunks(later.len().div_ceil(PANEL / ROWS).max(1));
        for row in (panel..weights.rows().min(panel + PANEL)).step_by(ROWS) {
            // The last ones again where they are no multiple.
            let row = row.min(weights.rows() - ROWS);
            let rows = Rows::new(weights.slice_rows(row, ROWS), later.next().unwrap_or_default());
            let (mut acc, mut sums) = (v.bits_to_floats(v.int(0)), [0; ROWS]);
            for (block, token) in token.chunks_exact(size).enumerate() {
                acc = add_block::<W, V>(v, &rows, block * W::BYTES, token, acc);
            }
            v.store(v.bits(acc), &mut sums);
            let out = &mut out.row_mut(0)[row..row + ROWS];
            out.iter_mut().zip(sums).for_each(|(to, bits)| *to = f32::from_bits(bits as u32));
        }
    }
}

#[inline(always)]
fn write_token<'a, W: RowLanes, V: Quads>(token: &[u8], data: &'a mut [i32]) -> &'a [i32] {
    let blocks = token.chunks_exact(<W::Act as ActivationBlock>::BYTES);
    for (block, data) in blocks.zip(data.chunks_exact_mut(block_size::<W, V>())) {
        write_block::<W, V>(block, data);
    }
    data
}

#[inline(always)]
fn write_block<W: RowLanes, V: Quads>(block: &[u8], data: &mut [i32]) {
    let (quants, mut rest) = data.split_at_mut(W::ELEMS / 4 * V::SPREAD);
    for (from, to) in W::Act::quants(block).as_chunks::<16>().0.iter().zip(quants.chunks_exact_mut(4 * V::SPREAD)) {
        V::spread_words::<4>(words(from), to);
    }
    if W::MINIMA > 0 {
        let (sums, other) = rest.split_at_mut(2 * SUMS * V::SPREAD);
        for (bytes, to) in sums_in_bytes::<W>(block).iter().zip(sums.chunks_exact_mut(SUMS * V::SPREAD)) {
            V::spread_words::<4>(words(bytes), to);
        }
        rest = other;
    }
    let (starts, floats) = rest.split_at_mut(parts::<W>());
    for (start, quants) in starts.iter_mut().zip(W::Act::quants(block).chunks_exact(W::ELEMS / parts::<W>())) {
        let sum: i32 = quants.iter().map(|&q| i32::from(q as i8)).sum();
        *start = if biased::<W>() { -i32::from(W::BIAS) * sum } else { 0 };
    }
    floats[0] = W::Act::scale(block).to_bits() as i32;
    floats[1] = W::Act::sum(block).to_bits() as i32;
}

/// Adds the products of four rows' blocks, at byte `at`.
#[inline(always)]
fn add_block<W: RowLanes, V: Quads>(v: V, rows: &Rows<'_>, at: usize, token: &[i32], acc: V::Float) -> V::Float {
    let (quants, rest) = token.split_at(W::ELEMS / 4 * V::SPREAD);
    let (minima, rest) = rest.split_at(block_size::<W, V>() - quants.len() - parts::<W>() - 2);
    let (starts, floats) = rest.split_at(parts::<W>());
    let mut sums = Sums::<W, V>::new(v, quants.as_chunks().0, starts);
    let scales = W::quants(v, rows, at, &mut sums);
    let factor = v.multiply(W::scale_values(v, scales.block), float(v, floats[0]));
    let acc = v.multiply_add(factor, v.to_floats(sums.total(v, &scales)), acc);
    let sign = if W::MINIMA > 0 { 0x8000 } else { 0 };
    let offset = v.halves_to_floats(v.xor(v.shift_right(scales.block, 16), v.int(sign)));
    match W::OFFSET {
        Offset::None => acc,
        Offset::Constant => v.multiply_add(offset, float(v, floats[1]), acc),
        Offset::Minima => {
            let sums = add_minima::<W, V>(v, &scales, minima.as_chunks().0);
            v.multiply_add(v.multiply(offset, float(v, floats[0])), v.to_floats(sums), acc)
        }
    }
}

/// The float with these bits in all lanes.
#[inline(always)]
fn float<V: Quads>(v: V, bits: i32) -> V::Float {
    v.bits_to_floats(v.int(bits))
}

/// Minima times the sums, of which first come the high bits, then the low ones.
#[inline(always)]
fn add_minima<W: RowLanes, V: Quads>(v: V, scales: &Scales<V>, sums: &[Quad]) -> V::Int {
    let (high, low) = sums.split_at(sums.len() / 2);
    let [a, b, c, d] = scales.minima;
    if W::MINIMA == 8 {
        let sum = v.shift_left(v.add_words(v.int(0), [a, b], high, MINIMA_FIT), 7);
        v.add_words(sum, [a, b], low, MINIMA_FIT)
    } else {
        let sum = v.shift_left(v.add_words(v.int(0), [a, b, c, d], high, MINIMA_FIT), 7);
        v.add_words(sum, [a, b, c, d], low, MINIMA_FIT)
    }
}

/// The sums of all parts, growing with each sixteen quants.
struct Sums<'a, W, V: Quads> {
    quants: &'a [Quad],
    sums: [V::Int; MAX_PARTS],
    block: PhantomData<W>,
}

impl<'a, W: RowLanes, V: Quads> Sums<'a, W, V> {
    #[inline(always)]
    fn new(v: V, quants: &'a [Quad], starts: &[i32]) -> Self {
        let mut sums = [v.int(0); MAX_PARTS];
        if biased::<W>() {
            for p in 0..parts::<W>() {
                sums[p] = v.int(starts[p]);
            }
        }
        Self { quants, sums, block: PhantomData }
    }

    /// The exact sum of the block.
    #[inline(always)]
    fn total(&self, v: V, scales: &Scales<V>) -> V::Int {
        if parts::<W>() == 1 {
            return self.sums[0];
        }
        let mut total = v.int(0);
        for p in 0..parts::<W>() {
            let top = v.shift_left(scales.parts[p / 4], 24 - 8 * (p as u32 % 4));
            total = v.multiply_add_ints(self.sums[p], v.shift_right_signed(top, 24), total);
        }
        total
    }
}

impl<W: RowLanes, V: Quads> Quants<V> for Sums<'_, W, V> {
    #[inline(always)]
    fn take(&mut self, v: V, place: usize, quants: [V::Int; 4]) {
        let sum = &mut self.sums[16 * parts::<W>() * place / W::ELEMS];
        let token = &self.quants[place * V::SPREAD..][..V::SPREAD];
        *sum = v.add_words(*sum, quants, token, fit(greatest::<W>(), MADE));
    }
}
