//! Roundings and maxima of the encoders, in forms that vectorize and call no library.

/// Adding 1.5 * 2^23 to a number below 2^22 in magnitude leaves its nearest integer, ties to even, in the low bits.
const TO_INTEGER: f32 = 12_582_912.0;

/// The bits of the greatest magnitude in `x`: at least [`INFINITE`] where a value is not finite.
#[inline(always)]
pub(super) fn max_magnitude_bits(x: &[f32]) -> u32 {
    x.iter().fold(0, |max, x| max.max(x.to_bits() & 0x7fff_ffff))
}

/// The bits of infinity.
pub(super) const INFINITE: u32 = 0x7f80_0000;

/// The nearest integer, ties to even; 0 in the low byte where `x` is not finite. `x` is below 2^22 if finite.
#[inline(always)]
pub(super) fn half_to_even(x: f32) -> i32 {
    ((x + TO_INTEGER).to_bits() & 0x007f_ffff) as i32 - 0x0040_0000
}

/// The nearest integer, ties away from zero, of `x` below 2^22 in magnitude.
#[inline(always)]
pub(super) fn half_away(x: f32) -> i32 {
    if cfg!(target_arch = "aarch64") {
        // One instruction there.
        return x.round() as i32;
    }
    let even = (x + TO_INTEGER) - TO_INTEGER;
    // A tie went towards zero where the rest is one half of the number's own sign.
    let rest = x - even;
    let up = i32::from(x > 0.0 && rest == 0.5);
    let down = i32::from(x < 0.0 && rest == -0.5);
    half_to_even(x) + up - down
}

/// `1 / d`, or 0 where that is not finite: a block whose values are all too small to scale has quants of 0.
#[inline(always)]
pub(super) fn reciprocal_or_zero(d: f32) -> f32 {
    let r = 1.0 / d;
    if r.is_finite() { r } else { 0.0 }
}

/// Writes the quants of whole blocks of `x` times `inverse`, ties away from zero.
#[inline(always)]
pub(super) fn write_half_away(x: &[f32], inverse: f32, quants: &mut [u8]) {
    if cfg!(not(target_arch = "aarch64")) {
        for (q, x) in quants.iter_mut().zip(x) {
            *q = half_away(x * inverse) as u8;
        }
        return;
    }
    // Where that is so short it becomes no vectors: for the compiler the bytes might lie in `x`.
    for (quants, x) in quants.as_chunks_mut::<32>().0.iter_mut().zip(x.as_chunks::<32>().0) {
        let mut block = [0; 32];
        for (q, x) in block.iter_mut().zip(x) {
            *q = half_away(x * inverse) as u8;
        }
        *quants = block;
    }
}
