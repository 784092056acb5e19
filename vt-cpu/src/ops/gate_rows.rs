//! Kernels of [`GateRows`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::GateRows;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::lanes::dot;
use crate::math::sigmoid;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<GateRows>(CPU, Gate(isa));
}

struct Gate<I>(I);

impl<I: Isa> Kernel<GateRows> for Gate<I> {
    fn name(&self) -> String {
        format!("{}-gate_rows", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    /// Where columns are divided, every worker computes the gates for itself.
    fn cut(&self, _: &GateRows, call: &Call<'_>) -> Cut {
        share::anywhere(call)
    }

    fn need(&self, _: &GateRows, i: usize) -> Need {
        [Need::Tile, Need::Rows].get(i).copied().unwrap_or(Need::All)
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, _: &GateRows, io: &mut Io<'_>) -> Result<(), KernelError> {
        let x = (!io.shared(0)).then(|| io.input::<f32>(0));
        let (h, weight) = (io.input::<f32>(1), io.input::<f32>(2));
        let out = io.output::<f32>(0);
        self.0.perform(GateEach { x, h, weight: weight.row(0), out });
        Ok(())
    }
}

struct GateEach<'a> {
    /// `None` if the input lies in the output already.
    x: Option<View<'a, f32>>,
    h: View<'a, f32>,
    weight: &'a [f32],
    out: ViewMut<'a, f32>,
}

impl Work for GateEach<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let gate = sigmoid(dot(self.h.row(row), self.weight));
            let out = self.out.row_mut(row);
            match self.x {
                Some(x) => out.iter_mut().zip(x.row(row)).for_each(|(out, x)| *out = gate * x),
                None => out.iter_mut().for_each(|out| *out *= gate),
            }
        }
    }
}
