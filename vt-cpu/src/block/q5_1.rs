//! Q5_1: f16 scale, f16 minimum, a word of 32 fifth bits, 32 quants of 4 bits; byte i holds elements i (low half) and
//! i + 16.

use vt_core::DType;

use crate::arch::Words;

use super::lanes::{Quants, RowLanes, Rows, Scales};
use super::q5_0::{take_five_bits, unpack_five_bits};
use super::{Offset, Q8_1, SubScales, WeightBlock, f16_at, kquant::scale_quants, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q5_1;

impl WeightBlock for Q5_1 {
    const DTYPE: DType = DType::Q5_1;
    type Act = Q8_1;
    const OFFSET: Offset = Offset::Constant;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 32];
        Self::unpack(block, &[0; 16], &mut quants);
        scale_quants(&quants, f16_at(block, 0), out);
        let m = f16_at(block, 2);
        out.iter_mut().for_each(|x| *x += m);
    }

    #[inline(always)]
    fn unpack(block: &[u8], _: &SubScales, out: &mut [i16]) {
        unpack_five_bits([u16_at(block, 4), u16_at(block, 6)], &block[8..24], 0, out);
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 0)
    }

    #[inline(always)]
    fn offset(block: &[u8]) -> u16 {
        u16_at(block, 2)
    }
}

impl RowLanes for Q5_1 {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 31;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let [head, fifth, _, _] = rows.words(v, at);
        take_five_bits(v, fifth, rows.words(v, at + 8), to);
        Scales::of_block(v, head)
    }
}
