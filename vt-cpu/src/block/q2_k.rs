//! Q2_K: sixteen bytes of a 4-bit scale (low half) and minimum, 64 bytes of quants, f16 scale and minimum scale. Each
//! half of the block has 32 bytes, with two bits for each quarter of its 128 elements.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::decode_with_minima;
use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves};
use super::{FoldedQ2K, Offset, Q8K, SubScales, WeightBlock, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q2K;

impl WeightBlock for Q2K {
    const DTYPE: DType = DType::Q2K;
    type Act = Q8K;
    const OFFSET: Offset = Offset::Minima;
    const MINIMA: usize = 16;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        decode_with_minima::<Self>(block, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]) {
        for (sixteenth, out) in out.chunks_exact_mut(16).enumerate() {
            let (half, quarter) = (sixteenth / 8, sixteenth % 8 / 2);
            let bytes = &block[16 + 32 * half + 16 * (sixteenth % 2)..][..16];
            for (out, &q) in out.iter_mut().zip(bytes) {
                *out = i16::from((q >> (2 * quarter)) & 3) * i16::from(sub_scales[sixteenth]);
            }
        }
    }

    #[inline(always)]
    fn sub_scales(block: &[u8]) -> SubScales {
        std::array::from_fn(|i| (block[i] & 15) as i8)
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 80)
    }

    #[inline(always)]
    fn offset(block: &[u8]) -> u16 {
        u16_at(block, 82)
    }

    #[inline(always)]
    fn minima(block: &[u8]) -> SubScales {
        std::array::from_fn(|i| (block[i] >> 4) as i8)
    }
}

impl RowLanes for Q2K {
    type Folded = FoldedQ2K;
    type FoldedNarrow = FoldedQ2K;
    const MAGNITUDE: usize = 3;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let (parts, minima) = packed_parts(v, rows, at);
        // Places are constants: the compiler does not unroll a loop of this size.
        take_quarters::<V, 0>(v, rows.words(v, at + 16), to);
        take_quarters::<V, 1>(v, rows.words(v, at + 32), to);
        take_quarters::<V, 8>(v, rows.words(v, at + 48), to);
        take_quarters::<V, 9>(v, rows.words(v, at + 64), to);
        Scales { block: scales_of(v, rows, at), parts, minima }
    }
}

/// What sixteen bytes hold, of part PART and every other one of the six behind it.
#[inline(always)]
fn take_quarters<V: Words, const PART: usize>(v: V, bytes: [V::Int; 4], to: &mut impl Quants<V>) {
    to.take(v, PART, quarter::<V, 0>(v, bytes));
    to.take(v, PART + 2, quarter::<V, 1>(v, bytes));
    to.take(v, PART + 4, quarter::<V, 2>(v, bytes));
    to.take(v, PART + 6, quarter::<V, 3>(v, bytes));
}

/// Two bits of each byte.
#[inline(always)]
pub(super) fn quarter<V: Words, const QUARTER: u32>(v: V, mut bytes: [V::Int; 4]) -> [V::Int; 4] {
    for k in 0..4 {
        bytes[k] = v.bits(bytes[k], 2 * QUARTER, 3);
    }
    bytes
}

/// The scales of parts, and the minima.
#[inline(always)]
pub(super) fn packed_parts<V: Words>(v: V, rows: &Rows<'_>, at: usize) -> ([V::Int; 4], [V::Int; 4]) {
    let packed = rows.words(v, at);
    let (mut scales, mut minima) = (packed, packed);
    for i in 0..4 {
        (scales[i], minima[i]) = (low_halves(v, packed[i]), high_halves(v, packed[i]));
    }
    (scales, minima)
}

/// The scale and the offset.
#[inline(always)]
pub(super) fn scales_of<V: Words>(v: V, rows: &Rows<'_>, at: usize) -> V::Int {
    rows.words(v, at + 68)[3]
}
