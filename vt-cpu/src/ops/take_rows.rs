//! Kernels of [`TakeRows`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::TakeRows;
use vt_core::registry::Builder;

use super::{Tier, index, share};
use crate::CPU;
use crate::arch::Isa;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<TakeRows>(CPU, Copy(isa));
}

struct Copy<I>(I);

impl<I: Isa> Kernel<TakeRows> for Copy<I> {
    fn name(&self) -> String {
        format!("{}-take_rows", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &TakeRows, call: &Call<'_>) -> Cut {
        share::by_rows(call)
    }

    fn need(&self, _: &TakeRows, i: usize) -> Need {
        if i == 1 { Need::Rows } else { Need::All }
    }

    fn run(&self, _: &TakeRows, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, rows) = (io.input::<f32>(0), io.input::<i32>(1));
        let mut out = io.output::<f32>(0);
        for row in 0..out.rows() {
            let from = index("rows", row, rows.row(row)[0], x.rows())?;
            out.row_mut(row).copy_from_slice(x.row(from));
        }
        Ok(())
    }
}
