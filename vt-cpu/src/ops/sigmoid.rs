//! Kernels of [`Sigmoid`].

use vt_core::op::Sigmoid;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;
use crate::math::sigmoid;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Sigmoid>(CPU, UnaryKernel(isa));
}

impl Unary for Sigmoid {
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        sigmoid(x)
    }
}
