//! Q3_K as panels hold it: quants times the scales of their parts, one part in place of sixteen. It pays where quants
//! meet four tokens or more.

use crate::arch::Words;

use super::folded::folded_blocks;
use super::lanes::{Quants, RowLanes, Rows, Scales};
use super::q3_k::{eighth, packed_scales, scale_of};
use super::{Q3K, WeightBlock};

/// The blocks of [`Q3K`]; see the module.
#[derive(Clone, Copy, Debug)]
pub struct FoldedQ3K;

folded_blocks!(FoldedQ3K of Q3K, bias 128);

impl RowLanes for FoldedQ3K {
    type Folded = Self;
    type FoldedNarrow = Self;
    const WIDE: bool = true;
    const MAGNITUDE: usize = 128;

    /// Quants times scales lie from -124 to 128, so what is handed over is their negative, and so is the block's scale.
    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let bias = if V::SIGNED { 0 } else { Self::BIAS as u8 };
        let scales = negated_scales(v, bias, packed_scales(v, rows, at));
        half::<V, 0>(v, (rows, at), &scales, to);
        half::<V, 1>(v, (rows, at), &scales, to);
        Scales::of_block(v, v.xor(scale_of(v, rows, at), v.int(0x8000)))
    }
}

/// As [`Q3K`]'s; places are constants, for the compiler does not unroll loops of this size.
#[inline(always)]
fn half<V: Words, const HALF: usize>(
    v: V,
    (rows, at): (&Rows<'_>, usize),
    scales: &[[V::Int; 4]; 3],
    to: &mut impl Quants<V>,
) {
    let third = rows.words(v, at + 16 * HALF);
    let low = rows.words(v, at + 32 + 16 * HALF);
    to.take(v, HALF, scaled(v, eighth::<V, 0>(v, low, third), scales, HALF));
    to.take(v, HALF + 2, scaled(v, eighth::<V, 1>(v, low, third), scales, HALF + 2));
    to.take(v, HALF + 4, scaled(v, eighth::<V, 2>(v, low, third), scales, HALF + 4));
    to.take(v, HALF + 6, scaled(v, eighth::<V, 3>(v, low, third), scales, HALF + 6));
    let low = rows.words(v, at + 64 + 16 * HALF);
    to.take(v, HALF + 8, scaled(v, eighth::<V, 4>(v, low, third), scales, HALF + 8));
    to.take(v, HALF + 10, scaled(v, eighth::<V, 5>(v, low, third), scales, HALF + 10));
    to.take(v, HALF + 12, scaled(v, eighth::<V, 6>(v, low, third), scales, HALF + 12));
    to.take(v, HALF + 14, scaled(v, eighth::<V, 7>(v, low, third), scales, HALF + 14));
}

/// Quants of part `part` times its scale, by [`negated_scales`]: at most 7 * 32, so that no byte's product reaches the next
/// one.
#[inline(always)]
fn scaled<V: Words>(v: V, mut quants: [V::Int; 4], scales: &[[V::Int; 4]; 3], part: usize) -> [V::Int; 4] {
    let [flips, factors, offsets] = scales;
    let (group, byte) = (part / 4, part % 4);
    let flip = v.byte_in_bytes(flips[group], byte);
    let factor = v.byte_in_halves(factors[group], byte);
    let offset = v.byte_in_bytes(offsets[group], byte);
    for k in 0..4 {
        quants[k] = v.add_bytes(v.multiply_halves(v.xor(quants[k], flip), factor), offset);
    }
    quants
}

/// For bytes `s + 32` the bytes f, a and o with `(q ^ f) a + o = bias - (q - 4) s`, for q from 0 to 7: a is the magnitude
/// of s; where s is negative f is 0 and o is `bias - 4 a`, else f is 7, which takes q from 7, and o is `bias - 3 a`.
#[inline(always)]
fn negated_scales<V: Words>(v: V, bias: u8, scales: [V::Int; 4]) -> [[V::Int; 4]; 3] {
    let mut parts = [scales; 3];
    for i in 0..4 {
        let positive = v.bits(scales[i], 5, 1);
        let negative = v.xor(positive, bytes(v, 1));
        let low = v.and(scales[i], bytes(v, 31));
        let magnitude = v.add_bytes(v.xor(low, times(v, negative, 31)), negative);
        let fourth = v.and(magnitude, times(v, negative, 255));
        let taken = v.add_bytes(times(v, magnitude, 3), fourth);
        parts[0][i] = times(v, positive, 7);
        parts[1][i] = magnitude;
        // In two's complement -x is !x + 1.
        parts[2][i] = v.add_bytes(v.xor(taken, bytes(v, 0xff)), bytes(v, bias.wrapping_add(1)));
    }
    parts
}

#[inline(always)]
fn bytes<V: Words>(v: V, byte: u8) -> V::Int {
    v.int(i32::from_le_bytes([byte; 4]))
}

/// Bytes times a factor, where no product takes more than eight bits.
#[inline(always)]
fn times<V: Words>(v: V, x: V::Int, factor: i32) -> V::Int {
    v.multiply_halves(x, v.int(factor << 16 | factor))
}
