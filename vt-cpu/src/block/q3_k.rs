//! Q3_K: 32 bytes of third bits, 64 bytes of low 2 bits, sixteen 6-bit scales less 32 (12 bytes), f16 scale; quants
//! less 4. Each half of the block has 32 bytes of low bits, with two bits for each quarter of its 128 elements; bit j of
//! byte i of the third bits belongs to element 32 j + i.

use vt_core::DType;

use super::kquant::{decode_parts, word};
use super::{Q8K, SubScales, WeightBlock, f16_at, u16_at};

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
