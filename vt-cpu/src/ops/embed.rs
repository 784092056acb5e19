//! Kernels of [`Embed`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::Embed;
use vt_core::registry::Builder;

use super::{Tier, index, share};
use crate::CPU;
use crate::arch::Isa;
use crate::decode::{DecodeRow, can_decode};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Embed>(CPU, Lookup(isa));
}

struct Lookup<I>(I);

impl<I: Isa> Kernel<Embed> for Lookup<I> {
    fn name(&self) -> String {
        format!("{}-embed", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, _: &Embed, call: &Call<'_>) -> Support {
        can_decode(call.dtype(1))
    }

    fn cut(&self, _: &Embed, call: &Call<'_>) -> Cut {
        share::by_rows(call)
    }

    fn need(&self, _: &Embed, i: usize) -> Need {
        if i == 0 { Need::Rows } else { Need::All }
    }

    fn run(&self, _: &Embed, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (ids, dtype) = (io.input::<i32>(0), io.dtype(1));
        let table = io.input_bytes(1);
        let mut out = io.output::<f32>(0);
        for row in 0..out.rows() {
            let id = index("ids", row, ids.row(row)[0], table.rows())?;
            self.0.perform(DecodeRow { dtype, bytes: table.row(id), out: out.row_mut(row) });
        }
        Ok(())
    }
}
