//! Kernels of [`Mul`].

use vt_core::op::Mul;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Binary, BinaryKernel};
use crate::CPU;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Mul>(CPU, BinaryKernel(isa));
}

impl Binary for Mul {
    #[inline(always)]
    fn apply(&self, a: f32, b: f32) -> f32 {
        a * b
    }
}
