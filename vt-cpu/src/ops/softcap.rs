//! Kernels of [`Softcap`].

use vt_core::op::Softcap;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;
use crate::math::softcap;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Softcap>(CPU, UnaryKernel(isa));
}

impl Unary for Softcap {
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        softcap(x, self.cap)
    }
}
