//! Q5_K: f16 scale and minimum scale, eight 6-bit scales and minima (12 bytes), 32 bytes of fifth bits, 256 quants of 4
//! bits; of each 32 bytes the low halves are 32 elements and the high halves the next 32. Bit j of byte i of the fifth
//! bits belongs to element 32 j + i.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::{decode_with_minima, packed_minima, packed_scales};
use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves, packed_parts, with_bits};
use super::{Offset, Q8K, SubScales, WeightBlock, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q5K;

impl WeightBlock for Q5K {
    const DTYPE: DType = DType::Q5K;
    type Act = Q8K;
    const OFFSET: Offset = Offset::Minima;
    // 64 * 31 * 63 * 127 < 2^24
    const EXACT: usize = 64;

    const MINIMA: usize = 8;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        decode_with_minima::<Self>(block, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]) {
        let fifth = &block[16..48];
        for (j, out) in out.chunks_exact_mut(64).enumerate() {
            let bytes = &block[48 + 32 * j..80 + 32 * j];
            let (low, high) = out.split_at_mut(32);
            for (((low, high), &q), &fifth) in low.iter_mut().zip(high).zip(bytes).zip(fifth) {
                let pair = fifth >> (2 * j);
                *low = i16::from((q & 15) | ((pair & 1) << 4)) * i16::from(sub_scales[2 * j]);
                *high = i16::from((q >> 4) | ((pair & 2) << 3)) * i16::from(sub_scales[2 * j + 1]);
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

impl RowLanes for Q5K {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 31;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        for half in 0..2 {
            let fifth = rows.words(v, at + 16 + 16 * half);
            for i in 0..4 {
                let bytes = rows.words(v, at + 48 + 32 * i + 16 * half);
                let first = 2 * i as u32;
                let mut quants = [bytes; 2];
                for k in 0..4 {
                    quants[0][k] = with_bits(v, low_halves(v, bytes[k]), fifth[k], first, 0x10);
                    quants[1][k] = with_bits(v, high_halves(v, bytes[k]), fifth[k], first + 1, 0x10);
                }
                to.take(v, 4 * i + half, quants[0]);
                to.take(v, 4 * i + 2 + half, quants[1]);
            }
        }
        packed_parts(v, rows, at)
    }
}
