//! Kernels of [`Silu`].

use vt_core::op::Silu;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;
use crate::math::silu;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Silu>(CPU, UnaryKernel(isa));
}

impl Unary for Silu {
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        silu(x)
    }
}
