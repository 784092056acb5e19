//! Kernels of [`AddExpertBias`].

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::AddExpertBias;
use vt_core::registry::Builder;

use super::{Tier, index, share};
use crate::CPU;
use crate::arch::Isa;

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<AddExpertBias>(CPU, AddBias(isa));
}

struct AddBias<I>(I);

impl<I: Isa> Kernel<AddExpertBias> for AddBias<I> {
    fn name(&self) -> String {
        format!("{}-add_expert_bias", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &AddExpertBias, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn need(&self, _: &AddExpertBias, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, _: &AddExpertBias, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (cols, x) = (io.tile().cols, (!io.shared(0)).then(|| io.input::<f32>(0)));
        let (bias, experts) = (io.input::<f32>(1), io.input::<i32>(2));
        let bias = bias.slice_cols(cols.start, cols.len());
        let mut out = io.output::<f32>(0);
        for token in 0..experts.rows() {
            for (k, expert) in experts.row(token).iter().enumerate() {
                let place = token * experts.cols() + k;
                let expert = index("experts", token, *expert, bias.rows())?;
                self.0.run(|| add_row(x.map(|x| x.row(place)), bias.row(expert), out.row_mut(place)));
            }
        }
        Ok(())
    }
}

/// `out = x + bias`, where `x` is what `out` holds if it is none.
#[inline(always)]
fn add_row(x: Option<&[f32]>, bias: &[f32], out: &mut [f32]) {
    if let Some(x) = x {
        out.copy_from_slice(x);
    }
    out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
}
