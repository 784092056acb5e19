//! Kernels of [`ClampedSwiglu`].

use vt_core::op::ClampedSwiglu;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Binary, BinaryKernel};
use crate::CPU;
use crate::math::sigmoid;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<ClampedSwiglu>(CPU, BinaryKernel(isa));
}

impl Binary for ClampedSwiglu {
    #[inline(always)]
    fn apply(&self, gate: f32, up: f32) -> f32 {
        let x = at_most(gate, self.limit);
        let y = -at_most(-at_most(up, self.limit), self.limit);
        x * sigmoid(self.alpha * x) * (y + 1.0)
    }
}

/// The lesser one; NaN if `x` is.
#[inline(always)]
fn at_most(x: f32, limit: f32) -> f32 {
    if x > limit { limit } else { x }
}
