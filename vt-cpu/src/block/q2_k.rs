//! Q2_K: sixteen bytes of a 4-bit scale (low half) and minimum, 64 bytes of quants, f16 scale and minimum scale. Each
//! half of the block has 32 bytes, with two bits for each quarter of its 128 elements.

use vt_core::DType;

use crate::arch::Words;

use super::kquant::decode_with_minima;
use super::lanes::{Quants, RowLanes, Rows, Scales, bits, high_halves, low_halves};
use super::{Offset, Q8K, SubScales, WeightBlock, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q2K;

impl WeightBlock for Q2K {
    const DTYPE: DType = DType::Q2K;
    type Act = Q8K;
    const OFFSET: Offset = Offset::Minima;
    const FOLDED: bool = true;
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
    type Folded = Self;
    const MAGNITUDE: usize = 45;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        let scales = rows.words(v, at);
        let mut minima = scales;
        for i in 0..4 {
            minima[i] = high_halves(v, scales[i]);
        }
        for i in 0..2 {
            for half in 0..2 {
                let bytes = rows.words(v, at + 16 + 32 * i + 16 * half);
                for quarter in 0..4 {
                    let part = 8 * i + 2 * quarter + half;
                    // At most 3 * 15: no byte's product reaches the next one.
                    let scale = v.byte_in_halves(low_halves(v, scales[part / 4]), part % 4);
                    let mut quants = bytes;
                    for k in 0..4 {
                        quants[k] = v.multiply_halves(bits(v, bytes[k], 2 * quarter as u32, 3), scale);
                    }
                    to.take(v, part, quants);
                }
            }
        }
        Scales { minima, ..Scales::of_block(v, rows.words(v, at + 68)[3]) }
    }
}
