//! Q5_0: f16 scale, a word of 32 fifth bits, 32 quants of 4 bits, altogether less 16; byte i holds elements i (low
//! half) and i + 16.

use vt_core::DType;

use crate::arch::Words;

use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves};
use super::{Q8_0, SubScales, WeightBlock, f16_at, kquant::scale_quants, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q5_0;

impl WeightBlock for Q5_0 {
    const DTYPE: DType = DType::Q5_0;
    type Act = Q8_0;
    const BIAS: i16 = 16;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 32];
        Self::unpack(block, &[0; 16], &mut quants);
        scale_quants(&quants, f16_at(block, 0), out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], _: &SubScales, out: &mut [i16]) {
        unpack_five_bits([u16_at(block, 2), u16_at(block, 4)], &block[6..22], 16, out);
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 0)
    }
}

impl RowLanes for Q5_0 {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 16;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let [head, next, _, _] = rows.words(v, at);
        let fifth = v.or(v.shift_right(head, 16), v.shift_left(next, 16));
        take_five_bits(v, fifth, rows.words(v, at + 6), to);
        Scales::of_block(v, head)
    }
}

/// The quants less `bias`: 16 bytes of low bits, and the fifth bits of elements 0..16 and 16..32.
#[inline(always)]
pub(super) fn unpack_five_bits(fifth: [u16; 2], nibbles: &[u8], bias: i16, out: &mut [i16]) {
    let (low, high) = out[..32].split_at_mut(16);
    for (i, (out, &q)) in low.iter_mut().zip(nibbles).enumerate() {
        *out = i16::from(q & 15) - if fifth[0] & (1 << i) == 0 { bias } else { bias - 16 };
    }
    for (i, (out, &q)) in high.iter_mut().zip(nibbles).enumerate() {
        *out = i16::from(q >> 4) - if fifth[1] & (1 << i) == 0 { bias } else { bias - 16 };
    }
}

/// The quants as they lie in rows: a word of fifth bits, and 16 bytes of low bits.
#[inline(always)]
pub(super) fn take_five_bits<V: Words>(v: V, fifth: V::Int, nibbles: [V::Int; 4], to: &mut impl Quants<V>) {
    let mut quants = [nibbles; 2];
    for k in 0..4 {
        let first = 4 * k as u32;
        quants[0][k] = v.insert_fifth_bits(low_halves(v, nibbles[k]), fifth, first);
        quants[1][k] = v.insert_fifth_bits(high_halves(v, nibbles[k]), fifth, first + 16);
    }
    to.take(v, 0, quants[0]);
    to.take(v, 1, quants[1]);
}
