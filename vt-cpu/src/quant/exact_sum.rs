//! The exact sum of a few integers held in `f32` lanes.

use super::tile::ROWS;

/// The sum's upper part is kept above this number, where `f32` has a spacing of 2^10.
const BASE: f32 = 1.5 * (1u64 << 33) as f32;

/// Per lane the sum of at most a thousand integers, each below 2^24 in magnitude, itself below 2^31. Adding to the
/// upper part rounds to its spacing; what that drops is exact, and gathers below.
#[derive(Clone, Copy)]
pub struct ExactSum {
    upper: [f32; ROWS],
    lower: [f32; ROWS],
}

impl ExactSum {
    pub(super) const ZERO: Self = Self { upper: [BASE; ROWS], lower: [0.0; ROWS] };

    /// Adds integers below 2^24.
    #[inline(always)]
    pub(super) fn add(&mut self, x: &[f32; ROWS]) {
        for l in 0..ROWS {
            let upper = self.upper[l] + x[l];
            self.lower[l] += x[l] - (upper - self.upper[l]);
            self.upper[l] = upper;
        }
    }

    /// The sums, rounded once: nearest, ties to even.
    #[inline(always)]
    pub(super) fn rounded(&self) -> [f32; ROWS] {
        let mut sum = [0.0; ROWS];
        for l in 0..ROWS {
            sum[l] = (self.upper[l] - BASE) + self.lower[l];
        }
        sum
    }
}
