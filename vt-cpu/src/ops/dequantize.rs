//! Kernels of [`Dequantize`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::Dequantize;
use vt_core::registry::Builder;

use super::Tier;
use crate::CPU;
use crate::arch::Isa;
use crate::decode::{DecodeRow, can_decode};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Dequantize>(CPU, Decode(isa));
}

struct Decode<I>(I);

impl<I: Isa> Kernel<Dequantize> for Decode<I> {
    fn name(&self) -> String {
        format!("{}-dequantize", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, _: &Dequantize, call: &Call<'_>) -> Support {
        can_decode(call.dtype(0))
    }

    fn cut(&self, _: &Dequantize, _: &Call<'_>) -> Cut {
        Cut::rows(1)
    }

    fn need(&self, _: &Dequantize, _: usize) -> Need {
        Need::Rows
    }

    fn run(&self, _: &Dequantize, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, dtype) = (io.input_bytes(0), io.dtype(0));
        let mut out = io.output::<f32>(0);
        for row in 0..out.rows() {
            self.0.perform(DecodeRow { dtype, bytes: x.row(row), out: out.row_mut(row) });
        }
        Ok(())
    }
}
