//! What several block types share: decoding from integers, and the packed scales of Q4_K and Q5_K.

use super::{SubScales, WeightBlock, f16_to_f32};

/// `out = d * quants`.
#[inline(always)]
pub(super) fn scale_quants(quants: &[i16], d: f32, out: &mut [f32]) {
    for (out, &q) in out.iter_mut().zip(quants) {
        *out = d * f32::from(q);
    }
}

/// `out = (d * scale) * quant - dmin * minimum`, with a scale and a minimum for each of as many parts as there are.
#[inline(always)]
pub(super) fn decode_parts(
    quants: &[i16; 256],
    (d, scales): (f32, &[i8]),
    (dmin, minima): (f32, &[i8]),
    out: &mut [f32],
) {
    let part = 256 / scales.len();
    for (i, (out, quants)) in out.chunks_exact_mut(part).zip(quants.chunks_exact(part)).enumerate() {
        let scale = d * f32::from(scales[i]);
        let minimum = dmin * f32::from(minima[i]);
        for (out, &q) in out.iter_mut().zip(quants) {
            *out = scale * f32::from(q) - minimum;
        }
    }
}

/// Decodes a block of a type with minima: of Q2_K, Q4_K and Q5_K.
#[inline(always)]
pub(super) fn decode_with_minima<W: WeightBlock>(block: &[u8], out: &mut [f32]) {
    let mut quants = [0; 256];
    W::unpack(block, &[1; 16], &mut quants);
    let scales = (f16_to_f32(W::scale(block)), &W::sub_scales(block)[..W::MINIMA]);
    let minima = (f16_to_f32(W::offset(block)), &W::minima(block)[..W::MINIMA]);
    decode_parts(&quants, scales, minima, out);
}

/// The eight 6-bit scales in the 12 bytes of Q4_K and Q5_K. Numbers 0 to 3 lie in the low six bits of bytes 0 to 3; of
/// the others the low four bits lie in the low halves of bytes 8 to 11, the high two above the first ones.
#[inline(always)]
pub(super) fn packed_scales(packed: &[u8]) -> SubScales {
    join_packed(word(packed, 0), word(packed, 8) & 0x0f0f_0f0f)
}

/// The eight 6-bit minima beside them: numbers 0 to 3 in bytes 4 to 7, the others' low bits in the high halves.
#[inline(always)]
pub(super) fn packed_minima(packed: &[u8]) -> SubScales {
    join_packed(word(packed, 4), (word(packed, 8) >> 4) & 0x0f0f_0f0f)
}

#[inline(always)]
fn join_packed(first: u32, low_bits: u32) -> SubScales {
    let second = low_bits | ((first >> 2) & 0x3030_3030);
    let numbers = u128::from(first & 0x3f3f_3f3f) | (u128::from(second) << 32);
    numbers.to_le_bytes().map(|b| b as i8)
}

/// The four bytes at `at`, the first lowest.
#[inline(always)]
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
