//! Q4_0: f16 scale, 32 quants of 4 bits less 8; byte i holds elements i (low half) and i + 16.

use vt_core::DType;

use crate::arch::Words;

use super::lanes::{Quants, RowLanes, Rows, Scales, take_halves};
use super::{Q8_0, SubScales, WeightBlock, f16_at, kquant::scale_quants, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q4_0;

impl WeightBlock for Q4_0 {
    const DTYPE: DType = DType::Q4_0;
    type Act = Q8_0;
    const BIAS: i16 = 8;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 32];
        Self::unpack(block, &[0; 16], &mut quants);
        scale_quants(&quants, f16_at(block, 0), out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], _: &SubScales, out: &mut [i16]) {
        let (low, high) = out[..32].split_at_mut(16);
        let nibbles = &block[2..18];
        for (out, &q) in low.iter_mut().zip(nibbles) {
            *out = i16::from(q & 15) - 8;
        }
        for (out, &q) in high.iter_mut().zip(nibbles) {
            *out = i16::from(q >> 4) - 8;
        }
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 0)
    }
}

impl RowLanes for Q4_0 {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 8;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        take_halves(v, to, [0, 1], rows.words(v, at + 2));
        Scales::of_block(v, rows.words(v, at)[0])
    }
}
