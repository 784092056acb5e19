//! The device's kernels.
//!
//! They leave [`cut`](vt::core::kernel::Kernel::cut) as it is: the device has one worker, so the tile that a kernel
//! computes is always the whole output.

mod elementwise;
mod matmul_q4_1;
mod operand;

use vt::core::op::{Add, MatmulBtQuant, Mul};
use vt::core::registry::Builder;

use crate::STORE;
use elementwise::Elementwise;
use matmul_q4_1::MatmulQ4_1;

pub(crate) fn register(builder: &mut Builder) {
    builder.kernel::<Add>(STORE, Elementwise { name: "store-add", function: |a, b| a + b });
    builder.kernel::<Mul>(STORE, Elementwise { name: "store-mul", function: |a, b| a * b });
    builder.kernel::<MatmulBtQuant>(STORE, MatmulQ4_1);
}
