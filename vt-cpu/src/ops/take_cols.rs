//! Kernels of [`TakeCols`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::TakeCols;
use vt_core::registry::Builder;

use super::{Tier, share};
use crate::CPU;
use crate::arch::Isa;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<TakeCols>(CPU, Copy(isa));
}

struct Copy<I>(I);

impl<I: Isa> Kernel<TakeCols> for Copy<I> {
    fn name(&self) -> String {
        format!("{}-take_cols", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, op: &TakeCols, call: &Call<'_>) -> Cut {
        Cut { cols: op.count, ..share::by_rows(call) }
    }

    fn need(&self, _: &TakeCols, _: usize) -> Need {
        Need::Tile
    }

    fn run(&self, op: &TakeCols, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, mut out) = (io.input::<f32>(0), io.output::<f32>(0));
        for row in 0..out.rows() {
            let groups = x.row(row).chunks_exact(op.group);
            for (to, from) in out.row_mut(row).chunks_exact_mut(op.count).zip(groups) {
                to.copy_from_slice(&from[op.from..op.from + op.count]);
            }
        }
        Ok(())
    }
}
