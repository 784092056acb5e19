//! Kernels of [`RmsNormQuantize`](vt_core::op::RmsNormQuantize).

use vt_core::View;
use vt_core::kernel::{Call, Cut, Need};
use vt_core::op::RmsNorm;
use vt_core::registry::Builder;

use super::quantized::{self, ByRows};
use super::rms_norm::normalize;
use super::{Tier, share};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    quantized::register::<T, RmsNorm>(builder, isa);
}

impl ByRows for RmsNorm {
    const NEEDS: [Need; 2] = [Need::Rows, Need::All];
    const PART: usize = usize::MAX;

    fn cut(call: &Call<'_>, _: usize) -> Cut {
        share::by_rows(call)
    }

    #[inline(always)]
    fn write(&self, [x, weight]: &[View<'_, f32>; 2], row: usize, _from: usize, out: &mut [f32]) {
        normalize(x.row(row), weight.row(0), self.eps, out);
    }
}
