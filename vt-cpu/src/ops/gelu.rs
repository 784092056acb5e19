//! Kernels of [`Gelu`].

use vt_core::op::Gelu;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;
use crate::math::gelu;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Gelu>(CPU, UnaryKernel(isa));
}

impl Unary for Gelu {
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        gelu(x)
    }
}
