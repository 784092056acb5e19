//! Q8_K: f32 scale, 256 quants in i8, sixteen i16 sums of 16 quants each. Activations beside K-quants.

use vt_core::DType;

use super::round::{INFINITE, half_to_even, max_magnitude_bits};
use super::{ActivationBlock, f32_at, u16_at};

/// Where the sums start: behind the scale and the quants.
const SUMS: usize = 4 + 256;

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q8K;

/// ggml's `quantize_row_q8_K_ref`: the value of greatest magnitude, the first of equals, becomes -127; quants are
/// `(-127 / max) * x` with ties to even, at most 127; the scale is `1 / (-127 / max)`. A zero block has zero sums.
impl ActivationBlock for Q8K {
    const DTYPE: DType = DType::Q8K;

    #[inline(always)]
    fn encode_block(x: &[f32], out: &mut [u8]) {
        let max = max_magnitude_bits(x);
        if max == 0 || max >= INFINITE {
            let d = if max == 0 { 0.0 } else { f32::NAN };
            out.fill(0);
            out[..4].copy_from_slice(&f32::to_le_bytes(d));
            return;
        }
        let inverse = -127.0 / first_of_magnitude(x, max);
        out[..4].copy_from_slice(&(1.0 / inverse).to_le_bytes());
        let (quants, sums) = out[4..].split_at_mut(256);
        for (q, x) in quants.iter_mut().zip(x) {
            *q = half_to_even(inverse * x).min(127) as u8;
        }
        for (sum, quants) in sums.chunks_exact_mut(2).zip(quants.chunks_exact(16)) {
            let total: i16 = quants.iter().map(|&q| i16::from(q as i8)).sum();
            sum.copy_from_slice(&total.to_le_bytes());
        }
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> f32 {
        f32_at(block, 0)
    }

    #[inline(always)]
    fn quants(block: &[u8]) -> &[u8] {
        &block[4..SUMS]
    }

    #[inline(always)]
    fn sums(block: &[u8]) -> [i16; 16] {
        std::array::from_fn(|i| u16_at(block, SUMS + 2 * i) as i16)
    }
}

/// The first value whose magnitude has the bits `max`: the lowest of their places, for a search would look at one by one.
#[inline(always)]
fn first_of_magnitude(x: &[f32], max: u32) -> f32 {
    let mut first = u32::MAX;
    for (i, x) in (0..u32::MAX).zip(x) {
        first = first.min(if x.to_bits() & 0x7fff_ffff == max { i } else { u32::MAX });
    }
    x.get(first as usize).copied().unwrap_or(f32::from_bits(max))
}
