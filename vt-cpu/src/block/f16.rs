//! Half precision as blocks hold it: in bits.

use ::half::f16;

use crate::float::half;

/// The value of the half-precision bits `h`, exactly.
#[inline(always)]
pub fn f16_to_f32(h: u16) -> f32 {
    half::f16_to_f32(f16::from_bits(h))
}

/// The half-precision bits nearest to `x`, ties to even.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u16 {
    half::f32_to_f16(x).to_bits()
}
