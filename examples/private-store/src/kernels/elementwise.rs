//! Ops that compute each element from the same elements of two inputs.

use vt::core::kernel::{Io, Kernel, KernelError};
use vt::core::op::Op;

use super::operand;

/// A kernel of an elementwise op: `function` of each pair of elements, rounded once as the ops define it.
pub(super) struct Elementwise {
    pub name: &'static str,
    pub function: fn(f32, f32) -> f32,
}

impl<O: Op> Kernel<O> for Elementwise {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&self, _: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        let a = operand::floats(&io.remote_input(0))?;
        let b = operand::floats(&io.remote_input(1))?;
        // The second input is as long as the first, or one row that goes with every row.
        let out: Vec<f32> = a.iter().zip(b.iter().cycle()).map(|(a, b)| (self.function)(*a, *b)).collect();
        operand::write_floats(&io.remote_output(0), &out)
    }
}
