//! Kernels of [`Add`].

use std::marker::PhantomData;

use vt_core::op::Add;
use vt_core::registry::Builder;

use super::Tier;
use super::elementwise::{Binary, BinaryKernel};
use crate::CPU;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Add>(CPU, BinaryKernel { isa, op: "add", function: PhantomData::<Function> });
}

struct Function;

impl Binary for Function {
    #[inline(always)]
    fn apply(a: f32, b: f32) -> f32 {
        a + b
    }
}
