//! Kernels of [`SiluMulQuantize`](vt_core::op::SiluMulQuantize).

use vt_core::op::SiluMul;
use vt_core::registry::Builder;

use super::{Tier, quantized};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    quantized::register::<T, SiluMul>(builder, isa);
}
