//! Kernels of [`GeluMul`].

use vt_core::op::GeluMul;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Binary, BinaryKernel};
use crate::CPU;
use crate::math::gelu;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<GeluMul>(CPU, BinaryKernel(isa));
}

impl Binary for GeluMul {
    #[inline(always)]
    fn apply(&self, gate: f32, up: f32) -> f32 {
        gelu(gate) * up
    }
}
