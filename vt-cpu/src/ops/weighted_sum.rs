//! Kernels of [`WeightedSum`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::WeightedSum;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::experts::weighted_sum;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<WeightedSum>(CPU, Sum(isa));
}

struct Sum<I>(I);

impl<I: Isa> Kernel<WeightedSum> for Sum<I> {
    fn name(&self) -> String {
        format!("{}-weighted_sum", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &WeightedSum, _: &Call<'_>) -> Cut {
        Cut::either(1, share::LINE)
    }

    fn need(&self, _: &WeightedSum, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::Rows }
    }

    fn run(&self, _: &WeightedSum, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, weights) = (io.input::<f32>(0), io.input::<f32>(1));
        let out = io.output::<f32>(0);
        self.0.perform(SumRows { x, weights, out });
        Ok(())
    }
}

struct SumRows<'a> {
    /// As many rows for each row of the output as there are weights.
    x: View<'a, f32>,
    weights: View<'a, f32>,
    out: ViewMut<'a, f32>,
}

impl Work for SumRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let used = self.weights.cols();
        for row in 0..self.out.rows() {
            weighted_sum(self.x.slice_rows(row * used, used), self.weights.row(row), self.out.row_mut(row));
        }
    }
}
