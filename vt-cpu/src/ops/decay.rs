//! Kernels of [`Decay`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::Decay;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::math::{exp, softplus};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Decay>(CPU, Elements(isa));
}

struct Elements<I>(I);

impl<I: Isa> Kernel<Decay> for Elements<I> {
    fn name(&self) -> String {
        format!("{}-decay", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &Decay, call: &Call<'_>) -> Cut {
        share::anywhere(call)
    }

    fn need(&self, _: &Decay, _: usize) -> Need {
        Need::Tile
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, _: &Decay, io: &mut Io<'_>) -> Result<(), KernelError> {
        let alpha = (!io.shared(0)).then(|| io.input::<f32>(0));
        let (dt, a) = (io.input::<f32>(1).row(0), io.input::<f32>(2).row(0));
        let out = io.output::<f32>(0);
        self.0.perform(Rows { alpha, dt, a, out });
        Ok(())
    }
}

struct Rows<'a> {
    /// `None` if the input lies in the output already.
    alpha: Option<View<'a, f32>>,
    dt: &'a [f32],
    a: &'a [f32],
    out: ViewMut<'a, f32>,
}

impl Work for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            if let Some(alpha) = self.alpha {
                out.copy_from_slice(alpha.row(row));
            }
            for ((out, dt), a) in out.iter_mut().zip(self.dt).zip(self.a) {
                *out = exp(a * softplus(*out + dt));
            }
        }
    }
}
