//! Kernels of [`RmsNorm`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::RmsNorm;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::rms_norm;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<RmsNorm>(CPU, Rows(isa));
}

struct Rows<I>(I);

impl<I: Isa> Kernel<RmsNorm> for Rows<I> {
    fn name(&self) -> String {
        format!("{}-rms_norm", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &RmsNorm, call: &Call<'_>) -> Cut {
        let group = call.input(1).map_or(0, |weight| weight.cols());
        let groups = group > 0 && group < call.cols();
        Cut { cols: if groups { group } else { 0 }, ..share::by_rows(call) }
    }

    fn need(&self, _: &RmsNorm, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn run(&self, op: &RmsNorm, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, weight) = (io.input::<f32>(0), io.input::<f32>(1));
        let out = io.output::<f32>(0);
        self.0.perform(Norm { x, weight: weight.row(0), eps: op.eps, out });
        Ok(())
    }
}

struct Norm<'a> {
    x: View<'a, f32>,
    weight: &'a [f32],
    eps: f32,
    out: ViewMut<'a, f32>,
}

impl Work for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            normalize(self.x.row(row), self.weight, self.eps, self.out.row_mut(row));
        }
    }
}

/// Normalizes a row, each group of as many elements as there are weights by itself.
#[inline(always)]
pub(super) fn normalize(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    let group = weight.len();
    if group == 0 {
        return;
    }
    for (x, out) in x.chunks_exact(group).zip(out.chunks_exact_mut(group)) {
        rms_norm(x, weight, eps, out);
    }
}
