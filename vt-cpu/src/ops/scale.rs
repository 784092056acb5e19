//! Kernels of [`Scale`].

use vt_core::op::Scale;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Scale>(CPU, UnaryKernel(isa));
}

impl Unary for Scale {
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        x * self.factor
    }
}
