//! Kernels of [`Silu`].

use std::marker::PhantomData;

use vt_core::op::Silu;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Unary, UnaryKernel};
use crate::CPU;
use crate::math::silu;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Silu>(CPU, UnaryKernel { isa, op: "silu", function: PhantomData::<Function> });
}

struct Function;

impl Unary for Function {
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        silu(x)
    }
}
