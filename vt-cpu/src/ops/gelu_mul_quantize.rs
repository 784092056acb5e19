//! Kernels of [`GeluMulQuantize`](vt_core::op::GeluMulQuantize).

use vt_core::op::GeluMul;
use vt_core::registry::Builder;

use super::{Tier, quantized};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    quantized::register::<T, GeluMul>(builder, isa);
}
