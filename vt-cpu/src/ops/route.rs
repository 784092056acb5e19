//! Kernels of [`Route`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::Route;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::experts::{route, route_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Route>(CPU, Choose(isa));
}

struct Choose<I>(I);

fn experts(call: &Call<'_>) -> usize {
    call.input(0).map_or(0, |logits| logits.cols())
}

impl<I: Isa> Kernel<Route> for Choose<I> {
    fn name(&self) -> String {
        format!("{}-route", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &Route, call: &Call<'_>) -> Cut {
        let logits = call.rows().saturating_mul(experts(call));
        Cut::rows(1).or_each(logits <= share::FEW_ROUTED)
    }

    fn need(&self, _: &Route, i: usize) -> Need {
        if i == 0 { Need::Rows } else { Need::All }
    }

    fn scratch(&self, op: &Route, call: &Call<'_>) -> usize {
        route_scratch(op, experts(call)) * size_of::<f32>()
    }

    fn run(&self, op: &Route, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (logits, bias) = (io.input::<f32>(0), io.input::<f32>(1));
        let (chosen, weights) = (io.output::<i32>(0), io.output::<f32>(1));
        let scratch = io.scratch_of::<f32>();
        self.0.perform(ChooseRows { op, logits, bias: bias.row(0), chosen, weights, scratch });
        Ok(())
    }
}

struct ChooseRows<'a> {
    op: &'a Route,
    logits: View<'a, f32>,
    bias: &'a [f32],
    chosen: ViewMut<'a, i32>,
    weights: ViewMut<'a, f32>,
    scratch: &'a mut [f32],
}

impl Work for ChooseRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.logits.rows() {
            let outs = (self.chosen.row_mut(row), self.weights.row_mut(row));
            route(self.op, self.logits.row(row), self.bias, outs, self.scratch);
        }
    }
}
