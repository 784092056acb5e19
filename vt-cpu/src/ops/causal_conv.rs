//! Kernels of [`CausalConv`].

use vt_core::ViewMut;
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::CausalConv;
use vt_core::registry::Builder;

use super::runs::{Run, runs};
use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::float::causal_conv::{self, causal_conv_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<CausalConv>(CPU, Channels(isa));
}

struct Channels<I>(I);

impl<I: Isa> Kernel<CausalConv> for Channels<I> {
    fn name(&self) -> String {
        format!("{}-causal_conv", I::NAME)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &CausalConv, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn need(&self, _: &CausalConv, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn scratch(&self, _: &CausalConv, call: &Call<'_>) -> usize {
        causal_conv_scratch(call.cols(), call.input(1).map_or(1, |weight| weight.cols())) * size_of::<f32>()
    }

    fn run(&self, _: &CausalConv, io: &mut Io<'_>) -> Result<(), KernelError> {
        let channels = io.tile().cols;
        let (x, sequences) = (io.input::<f32>(0), io.input::<i32>(3));
        let weight = io.input::<f32>(1).slice_rows(channels.start, channels.len());
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<f32>());
        for run in runs(sequences, io.sequences()) {
            let Run { sequence, row, rows } = run?;
            let call = causal_conv::CausalConv { x: x.slice_rows(row, rows), weight, scratch: &mut *scratch };
            let mut state = io.recurrent_mut(1, sequence);
            let mut out = out.tile(row, rows, 0, channels.len());
            self.0.perform(Convolve { call, state: state.view_mut(), out: &mut out });
        }
        Ok(())
    }
}

struct Convolve<'a, 's, 'o> {
    call: causal_conv::CausalConv<'a>,
    state: &'a mut ViewMut<'s, f32>,
    out: &'a mut ViewMut<'o, f32>,
}

impl Work for Convolve<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.call.run(self.state, self.out);
    }
}
