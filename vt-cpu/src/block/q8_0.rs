//! Q8_0: f16 scale, 32 quants in i8. Weights, and the activations beside Q4_0, Q5_0 and Q8_0 weights.

use vt_core::DType;

use crate::arch::Words;

use super::lanes::{Quants, RowLanes, Rows, Scales};
use super::round::{INFINITE, max_magnitude_bits, reciprocal_or_zero, write_half_away};
use super::{ActivationBlock, SubScales, WeightBlock, f16_at, f32_to_f16, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q8_0;

impl WeightBlock for Q8_0 {
    const DTYPE: DType = DType::Q8_0;
    type Act = Q8_0;
    const BIAS: i16 = 128;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        <Self as ActivationBlock>::decode(block, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], _: &SubScales, out: &mut [i16]) {
        for (out, &q) in out[..32].iter_mut().zip(&block[2..34]) {
            *out = i16::from(q as i8);
        }
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 0)
    }
}

impl RowLanes for Q8_0 {
    type Folded = Self;
    type FoldedNarrow = Self;
    const WIDE: bool = true;
    const MAGNITUDE: usize = 128;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        for half in 0..2 {
            let mut quants = rows.words(v, at + 2 + 16 * half);
            for k in 0..4 {
                let top = if V::SIGNED { 0 } else { i32::from_le_bytes([0x80; 4]) };
                quants[k] = v.xor(quants[k], v.int(top));
            }
            to.take(v, half, quants);
        }
        Scales::of_block(v, rows.words(v, at)[0])
    }
}

/// ggml's `quantize_row_q8_0_ref`: `d = max|x| / 127`, quants `round(x * (1 / d))` with ties away from zero, `d` stored
/// as f16 (infinity where it is too large). Where `1 / d` is not finite the quants are 0.
impl ActivationBlock for Q8_0 {
    const DTYPE: DType = DType::Q8_0;

    #[inline(always)]
    fn encode_block(x: &[f32], out: &mut [u8]) {
        let (scale, quants) = out.split_at_mut(2);
        let max = max_magnitude_bits(x);
        if max >= INFINITE {
            scale.copy_from_slice(&f32_to_f16(f32::NAN).to_le_bytes());
            quants.fill(0);
            return;
        }
        let d = f32::from_bits(max) / 127.0;
        scale.copy_from_slice(&f32_to_f16(d).to_le_bytes());
        write_half_away(x, reciprocal_or_zero(d), quants);
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> f32 {
        f16_at(block, 0)
    }

    #[inline(always)]
    fn quants(block: &[u8]) -> &[u8] {
        &block[2..34]
    }
}
