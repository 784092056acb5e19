//! MXFP4 (Open Compute Project, "OCP Microscaling Formats", 2023): the exponent of a power of two (E8M0), 32 numbers of
//! 4 bits (E2M1: sign, two bits of exponent, one of fraction); byte i holds elements i (low half) and i + 16. Quants are
//! twice the numbers, so that they are whole, and the scale is half the power: 2^(e - 128). Code 255, which the format
//! calls NaN, is 2^127 as in ggml.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::scale_quants;
use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves};
use super::{Q8_0, SubScales, WeightBlock};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Mxfp4;

/// The quants plus [`Mxfp4::BIAS`](WeightBlock::BIAS) by their codes, those with a sign behind the others.
const QUANTS: [u8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

impl WeightBlock for Mxfp4 {
    const DTYPE: DType = DType::MXFP4;
    type Act = Q8_0;
    const BIAS: i16 = 12;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 32];
        Self::unpack(block, &[0; 16], &mut quants);
        scale_quants(&quants, Self::scale_value(Self::scale(block)), out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], _: &SubScales, out: &mut [i16]) {
        let (low, high) = out[..32].split_at_mut(16);
        let codes = &block[1..17];
        for (out, &code) in low.iter_mut().zip(codes) {
            *out = quant(code & 15);
        }
        for (out, &code) in high.iter_mut().zip(codes) {
            *out = quant(code >> 4);
        }
    }

    /// The upper half of the scale as `f32`, whose lower half is zero also below 2^-126.
    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        let exponent = u16::from(block[0]);
        if exponent < 2 { 0x20 << exponent } else { (exponent - 1) << 7 }
    }

    #[inline(always)]
    fn scale_value(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }
}

/// The quant of a code, 0 1 2 3 4 6 8 12 or less than nothing: computed, as loops with a table do not become vectors.
#[inline(always)]
fn quant(code: u8) -> i16 {
    let place = i16::from(code & 7);
    let above_4 = if place > 4 { place - 4 } else { 0 };
    let last = if place > 6 { 2 } else { 0 };
    let magnitude = place + above_4 + last;
    if code & 8 == 0 { magnitude } else { -magnitude }
}

impl RowLanes for Mxfp4 {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 12;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let codes = rows.words(v, at + 1);
        let mut quants = [codes; 2];
        for k in 0..4 {
            quants[0][k] = v.look_up(&QUANTS, low_halves(v, codes[k]));
            quants[1][k] = v.look_up(&QUANTS, high_halves(v, codes[k]));
        }
        to.take(v, 0, quants[0]);
        to.take(v, 1, quants[1]);
        Scales::of_block(v, scale_bits(v, v.and(rows.words(v, at)[0], v.int(0xff))))
    }

    #[inline(always)]
    fn scale_values<V: Words>(v: V, bits: V::Int) -> V::Float {
        v.bits_to_floats(v.shift_left(bits, 16))
    }
}

/// [`Mxfp4::scale`](WeightBlock::scale) of exponents in lanes.
#[inline(always)]
fn scale_bits<V: Words>(v: V, exponent: V::Int) -> V::Int {
    let small = v.shift_right_signed(v.add_ints(exponent, v.int(-2)), 31);
    let denormal = v.shift_left(v.add_ints(exponent, v.int(1)), 5);
    let normal = v.shift_left(v.add_ints(exponent, v.int(-1)), 7);
    v.or(v.and(small, denormal), v.and(v.xor(small, v.int(-1)), normal))
}
