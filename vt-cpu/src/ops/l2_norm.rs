//! Kernels of [`L2Norm`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::L2Norm;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::l2_norm;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<L2Norm>(CPU, Groups(isa));
}

struct Groups<I>(I);

impl<I: Isa> Kernel<L2Norm> for Groups<I> {
    fn name(&self) -> String {
        format!("{}-l2_norm", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, op: &L2Norm, call: &Call<'_>) -> Cut {
        Cut { cols: op.group, ..share::by_rows(call) }
    }

    fn need(&self, _: &L2Norm, _: usize) -> Need {
        Need::Tile
    }

    fn run(&self, op: &L2Norm, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, out) = (io.input::<f32>(0), io.output::<f32>(0));
        self.0.perform(Normalize { op, x, out });
        Ok(())
    }
}

struct Normalize<'a> {
    op: &'a L2Norm,
    x: View<'a, f32>,
    out: ViewMut<'a, f32>,
}

impl Work for Normalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let L2Norm { group, eps } = *self.op;
        for row in 0..self.out.rows() {
            let groups = self.x.row(row).chunks_exact(group).zip(self.out.row_mut(row).chunks_exact_mut(group));
            for (x, out) in groups {
                l2_norm(x, eps, out);
            }
        }
    }
}
