//! Q8_1: f32 scale, f32 sum, 32 quants in i8. Activations beside Q4_1 and Q5_1 weights; not GGUF's type of that name.

use vt_core::DType;

use super::round::{INFINITE, max_magnitude_bits, reciprocal_or_zero, write_half_away};
use super::{ActivationBlock, f32_at};

/// The block type; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Q8_1;

/// `d = max|x| / 127` in f32, quants `round(x * (1 / d))` with ties away from zero (0 where `1 / d` is not finite),
/// `s = d * sum` with the exact integer sum of the quants as f32. A block with a non-finite value has `d` and `s` NaN
/// and quants 0.
impl ActivationBlock for Q8_1 {
    const DTYPE: DType = DType::Q8_1;

    #[inline(always)]
    fn encode_block(x: &[f32], out: &mut [u8]) {
        let (head, quants) = out.split_at_mut(8);
        let max = max_magnitude_bits(x);
        let d = if max >= INFINITE { f32::NAN } else { f32::from_bits(max) / 127.0 };
        if d.is_nan() {
            quants.fill(0);
        } else {
            write_half_away(x, reciprocal_or_zero(d), quants);
        }
        let sum: i32 = quants.iter().map(|&q| i32::from(q as i8)).sum();
        head[..4].copy_from_slice(&d.to_le_bytes());
        head[4..].copy_from_slice(&(d * sum as f32).to_le_bytes());
    }

    #[inline(always)]
    fn scale(block: &[u8]) -> f32 {
        f32_at(block, 0)
    }

    #[inline(always)]
    fn quants(block: &[u8]) -> &[u8] {
        &block[8..40]
    }

    #[inline(always)]
    fn sum(block: &[u8]) -> f32 {
        f32_at(block, 4)
    }
}
