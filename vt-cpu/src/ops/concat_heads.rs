//! Kernels of [`ConcatHeads`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::ConcatHeads;
use vt_core::registry::Builder;

use super::{Tier, share};
use crate::CPU;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<ConcatHeads>(CPU, Copy(isa));
}

struct Copy<T>(T);

impl<T: Tier> Kernel<ConcatHeads> for Copy<T> {
    fn name(&self) -> String {
        format!("{}-concat_heads", T::NAME)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    fn cut(&self, op: &ConcatHeads, call: &Call<'_>) -> Cut {
        Cut { cols: op.a_dim + op.b_dim, ..share::by_rows(call) }
    }

    fn need(&self, op: &ConcatHeads, i: usize) -> Need {
        if i == 1 && op.shared { Need::Rows } else { Need::Tile }
    }

    fn run(&self, op: &ConcatHeads, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (a, b) = (io.input::<f32>(0), io.input::<f32>(1));
        let mut out = io.output::<f32>(0);
        for row in 0..out.rows() {
            let heads = out.row_mut(row).chunks_exact_mut(op.a_dim + op.b_dim);
            for (h, (out, head)) in heads.zip(a.row(row).chunks_exact(op.a_dim)).enumerate() {
                let (first, second) = out.split_at_mut(op.a_dim);
                first.copy_from_slice(head);
                let h = if op.shared { 0 } else { h };
                second.copy_from_slice(&b.row(row)[h * op.b_dim..][..op.b_dim]);
            }
        }
        Ok(())
    }
}
