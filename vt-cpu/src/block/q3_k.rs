//! Q3_K: 32 bytes of third bits, 64 bytes of low 2 bits, sixteen 6-bit scales less 32 (12 bytes), f16 scale; quants
//! less 4. Each half of the block has 32 bytes of low bits, with two bits for each quarter of its 128 elements; bit j of
//! byte i of the third bits belongs to element 32 j + i.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::{decode_parts, word};
use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves, with_bits};
use super::{FoldedQ3K, Q8K, SubScales, WeightBlock, f16_at, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q3K;

impl WeightBlock for Q3K {
    const DTYPE: DType = DType::Q3K;
    type Act = Q8K;
    const BIAS: i16 = 4;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 256];
        Self::unpack(block, &[1; 16], &mut quants);
        let scales = (f16_at(block, 108), &Self::sub_scales(block)[..]);
        let minima = (0.0, &[0; 16][..]);
        decode_parts(&quants, scales, minima, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]) {
        for (sixteenth, out) in out.chunks_exact_mut(16).enumerate() {
            let (half, eighth, from) = (sixteenth / 8, sixteenth / 2, 16 * (sixteenth % 2));
            let low_bits = &block[32 + 32 * half + from..][..16];
            for ((out, &low), &third) in out.iter_mut().zip(low_bits).zip(&block[from..from + 16]) {
                let low = (low >> (2 * (eighth % 4))) & 3;
                let third = (third >> eighth) & 1;
                *out = (i16::from(low | (third << 2)) - 4) * i16::from(sub_scales[sixteenth]);
            }
        }
    }

    #[inline(always)]
    fn sub_scales(block: &[u8]) -> SubScales {
        let (first, second, high) = (word(block, 96), word(block, 100), word(block, 104));
        let join = |low: u32, high: u32| u128::from((low & 0x0f0f_0f0f) | ((high & 0x0303_0303) << 4));
        let scales = join(first, high)
            | (join(second, high >> 2) << 32)
            | (join(first >> 4, high >> 4) << 64)
            | (join(second >> 4, high >> 6) << 96);
        // Less 32 in each byte: setting the top bits keeps borrows from crossing.
        let top = u128::from_le_bytes([0x80; 16]);
        let less = ((scales | top) - u128::from_le_bytes([32; 16])) ^ top;
        less.to_le_bytes().map(|b| b as i8)
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 108)
    }
}

impl RowLanes for Q3K {
    type Folded = FoldedQ3K;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 4;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        half::<V, 0>(v, rows, at, to);
        half::<V, 1>(v, rows, at, to);
        let mut parts = packed_scales(v, rows, at);
        for i in 0..4 {
            parts[i] = less_32(v, parts[i]);
        }
        Scales { parts, ..Scales::of_block(v, scale_of(v, rows, at)) }
    }
}

/// The first or the last sixteen bytes of both stretches of low bits. Places are constants throughout: the compiler does
/// not unroll loops of this size.
#[inline(always)]
fn half<V: Words, const HALF: usize>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) {
    let third = rows.words(v, at + 16 * HALF);
    let low = rows.words(v, at + 32 + 16 * HALF);
    to.take(v, HALF, eighth::<V, 0>(v, low, third));
    to.take(v, HALF + 2, eighth::<V, 1>(v, low, third));
    to.take(v, HALF + 4, eighth::<V, 2>(v, low, third));
    to.take(v, HALF + 6, eighth::<V, 3>(v, low, third));
    let low = rows.words(v, at + 64 + 16 * HALF);
    to.take(v, HALF + 8, eighth::<V, 4>(v, low, third));
    to.take(v, HALF + 10, eighth::<V, 5>(v, low, third));
    to.take(v, HALF + 12, eighth::<V, 6>(v, low, third));
    to.take(v, HALF + 14, eighth::<V, 7>(v, low, third));
}

/// The quants of an eighth of the block, or half of them, of the low bits of its stretch and all third bits.
#[inline(always)]
pub(super) fn eighth<V: Words, const EIGHTH: u32>(v: V, low: [V::Int; 4], third: [V::Int; 4]) -> [V::Int; 4] {
    let mut quants = low;
    for k in 0..4 {
        quants[k] = with_bits(v, v.bits(low[k], EIGHTH % 4 * 2, 3), third[k], EIGHTH, 4);
    }
    quants
}

#[inline(always)]
pub(super) fn scale_of<V: Words>(v: V, rows: &Rows<'_>, at: usize) -> V::Int {
    v.shift_right(rows.words(v, at + 94)[3], 16)
}

/// The sixteen scales plus 32. Their 12 bytes lie two bytes into sixteen.
#[inline(always)]
pub(super) fn packed_scales<V: Words>(v: V, rows: &Rows<'_>, at: usize) -> [V::Int; 4] {
    let words = rows.words(v, at + 94);
    let mut packed = [v.int(0); 3];
    for i in 0..3 {
        packed[i] = v.or(v.shift_right(words[i], 16), v.shift_left(words[i + 1], 16));
    }
    let low =
        [low_halves(v, packed[0]), low_halves(v, packed[1]), high_halves(v, packed[0]), high_halves(v, packed[1])];
    let mut scales = low;
    for i in 0..4 {
        scales[i] = with_bits(v, low[i], packed[2], 2 * i as u32, 0x30);
    }
    scales
}

/// Bytes below 64, less 32: where their sixth bit is set they lose it, and else get the two above it too.
#[inline(always)]
fn less_32<V: Words>(v: V, x: V::Int) -> V::Int {
    let sixth = v.and(x, v.int(0x2020_2020));
    let flips = v.xor(v.int(i32::from_le_bytes([0xe0; 4])), v.xor(v.shift_left(sixth, 1), v.shift_left(sixth, 2)));
    v.xor(x, flips)
}
