//! Scores that grow with the query's position.

use crate::math::ln_f64;

/// A factor of scores for queries far into a sequence: `1 + factor * ln(1 + floor(position / length))`, which is 1 at
/// the first `length` positions.
#[derive(Clone, Copy, Debug)]
pub struct Temperature {
    /// How much they grow.
    pub factor: f32,
    /// The positions after which they first do: not 0.
    pub length: usize,
}

impl Temperature {
    /// `scale` times the factor for the query at `position`: `fma(ln(1 + position div length), factor, 1) * scale` in
    /// f64, rounded once to f32.
    #[inline(always)]
    pub fn scale(self, scale: f32, position: usize) -> f32 {
        let steps = 1 + position / self.length;
        (ln_f64(steps as f64).mul_add(self.factor.into(), 1.0) * f64::from(scale)) as f32
    }
}
