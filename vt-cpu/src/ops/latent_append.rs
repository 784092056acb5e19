//! Kernels of [`LatentAppend`].

use vt_core::DType;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::LatentAppend;
use vt_core::registry::Builder;

use super::kv_append::{Round, supports_cache};
use super::{Tier, index};
use crate::CPU;
use crate::arch::Isa;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<LatentAppend>(CPU, Rows(isa));
}

struct Rows<I>(I);

impl<I: Isa> Kernel<LatentAppend> for Rows<I> {
    fn name(&self) -> String {
        format!("{}-latent_append", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, _: &LatentAppend, call: &Call<'_>) -> Support {
        supports_cache(call, 0)
    }

    fn cut(&self, _: &LatentAppend, _: &Call<'_>) -> Cut {
        Cut::cols(1)
    }

    fn run(&self, _: &LatentAppend, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (rows, sequences, positions) = (io.input::<f32>(1), io.input::<i32>(2), io.input::<i32>(3));
        for row in 0..rows.rows() {
            let sequence = index("sequences", row, sequences.row(row)[0], io.sequences())?;
            let mut kv = io.kv_mut(0, sequence);
            let position = index("positions", row, positions.row(row)[0], kv.capacity())?;
            match kv.types().0 {
                DType::F16 => self.0.perform(Round { from: rows.row(row), to: kv.key_mut(0, position) }),
                _ => kv.key_mut::<f32>(0, position).copy_from_slice(rows.row(row)),
            }
        }
        Ok(())
    }
}
