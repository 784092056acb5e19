//! Q6_K: 128 bytes of low 4 bits, 64 bytes of high 2 bits, sixteen i8 scales, f16 scale; quants less 32. Each half of
//! the block has 64 bytes of low bits (elements 0..32 and 32..64 in their low halves, 64..128 in their high halves) and
//! 32 bytes of high bits (two bits for each quarter).

use vt_core::DType;

use crate::arch::Words;

use super::kquant::decode_parts;
use super::lanes::{Quants, RowLanes, Rows, Scales, high_halves, low_halves, with_bits};
use super::{Q8K, SubScales, WeightBlock, f16_at, u16_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q6K;

impl WeightBlock for Q6K {
    const DTYPE: DType = DType::Q6K;
    type Act = Q8K;
    const BIAS: i16 = 32;
    // 32 * 32 * 128 * 127 < 2^24
    const EXACT: usize = 32;

    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let mut quants = [0; 256];
        Self::unpack(block, &[1; 16], &mut quants);
        let scales = (f16_at(block, 208), &Self::sub_scales(block)[..]);
        let minima = (0.0, &[0; 16][..]);
        decode_parts(&quants, scales, minima, out);
    }

    #[inline(always)]
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]) {
        for (half, out) in out.chunks_exact_mut(128).enumerate() {
            let low_bits = &block[64 * half..64 * half + 64];
            let high_bits = &block[128 + 32 * half..160 + 32 * half];
            for (sixteenth, out) in out.chunks_exact_mut(16).enumerate() {
                let (quarter, from) = (sixteenth / 2, 16 * (sixteenth % 2));
                let low_bits = &low_bits[32 * (quarter % 2) + from..][..16];
                let scale = i16::from(sub_scales[8 * half + sixteenth]);
                for ((out, &low), &high) in out.iter_mut().zip(low_bits).zip(&high_bits[from..from + 16]) {
                    let low = (low >> (4 * (quarter / 2))) & 15;
                    let high = (high >> (2 * quarter)) & 3;
                    *out = (i16::from(low | (high << 4)) - 32) * scale;
                }
            }
        }
    }

    #[inline(always)]
    fn sub_scales(block: &[u8]) -> SubScales {
        std::array::from_fn(|i| block[192 + i] as i8)
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> u16 {
        u16_at(block, 208)
    }
}

impl RowLanes for Q6K {
    type Folded = Self;
    type FoldedNarrow = Self;
    const MAGNITUDE: usize = 32;

    #[inline(always)]
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V> {
        for i in 0..2 {
            for half in 0..2 {
                let high = rows.words(v, at + 128 + 32 * i + 16 * half);
                for odd in 0..2 {
                    let low = rows.words(v, at + 64 * i + 32 * odd + 16 * half);
                    let (place, from) = (8 * i + 2 * odd + half, 2 * odd as u32);
                    let mut quants = [low; 2];
                    for k in 0..4 {
                        quants[0][k] = with_bits(v, low_halves(v, low[k]), high[k], from, 0x30);
                        quants[1][k] = with_bits(v, high_halves(v, low[k]), high[k], from + 4, 0x30);
                    }
                    to.take(v, place, quants[0]);
                    to.take(v, place + 4, quants[1]);
                }
            }
        }
        let block = v.shift_right(rows.words(v, at + 194)[3], 16);
        Scales { parts: rows.words(v, at + 192), ..Scales::of_block(v, block) }
    }
}
