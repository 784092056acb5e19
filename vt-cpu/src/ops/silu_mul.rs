//! Kernels of [`SiluMul`].

use vt_core::op::SiluMul;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Binary, BinaryKernel};
use crate::CPU;
use crate::math::silu;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<SiluMul>(CPU, BinaryKernel(isa));
}

impl Binary for SiluMul {
    #[inline(always)]
    fn apply(&self, gate: f32, up: f32) -> f32 {
        silu(gate) * up
    }
}
