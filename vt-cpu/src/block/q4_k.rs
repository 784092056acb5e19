//! Q4_K: f16 scale and minimum scale, eight 6-bit scales and minima (12 bytes), 256 quants of 4 bits; of each 32 bytes
//! the low halves are 32 elements and the high halves the next 32.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::{decode_with_minima, packed_minima, packed_scales};
use super::lanes::{Quants, RowLanes, Rows, Scales, packed_parts, take_halves};
use super::{Offset, Q8K, SubScales, WeightBlock, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q4K;

impl WeightBlock for Q4K {
    const DTYPE: DType = DType::Q4K;
    type Act = Q8K;
    const OFFSET: Offset = Offset::Minima;
    // 128 * 15 * 63 * 127 < 2^24
    const EXACT: usize = 128;

    const MINIMA: usize = 8;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        decode_with_minima::<Self>(block, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]) {
        for (j, out) in out.chunks_exact_mut(64).enumerate() {
            let bytes = &block[16 + 32 * j..48 + 32 * j];
            let (low, high) = out.split_at_mut(32);
            for ((low, high), &q) in low.iter_mut().zip(high).zip(bytes) {
                *low = i16::from(q & 15) * i16::from(sub_scales[2 * j]);
                *high = i16::from(q >> 4) * i16::from(sub_scales[2 * j + 1]);
            }
        }
    }

    #[inline(always)]
    fn sub_scales(block: &[u8]) -> SubScales {
        packed_scales(&block[4..16])
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 0)
    }

    #[inline(always)]
    fn offset(block: &[u8]) -> u16 {
        u16_at(block, 2)
    }

    #[inline(always)]
    fn minima(block: &[u8]) -> SubScales {
        packed_minima(&block[4..16])
    }
}

impl RowLanes for Q4K {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 15;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        for i in 0..4 {
            for half in 0..2 {
                let bytes = rows.words(v, at + 16 + 32 * i + 16 * half);
                take_halves(v, to, [4 * i + half, 4 * i + 2 + half], bytes);
            }
        }
        packed_parts(v, rows, at)
    }
}
