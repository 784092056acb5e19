//! Kernels of [`MatmulBt`].

use std::marker::PhantomData;

use half::{bf16, f16};
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::MatmulBt;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::Work;
use crate::float::{Weight, matmul_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f32> { tier, weight: "f32", element: PhantomData });
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f16> { tier, weight: "f16", element: PhantomData });
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, bf16> { tier, weight: "bf16", element: PhantomData });
}

struct Tiles<T, W> {
    tier: T,
    weight: &'static str,
    element: PhantomData<W>,
}

impl<T: Tier, W: Weight> Kernel<MatmulBt> for Tiles<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-tiles", T::NAME, self.weight)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    fn supports(&self, _: &MatmulBt, call: &Call<'_>) -> Support {
        let weight = call.dtype(1);
        let found = weight.map_or("state", |d| d.name());
        Support::when(weight.is_some_and(W::fits), || format!("multiplies {}, not {found}", self.weight))
    }

    fn cut(&self, _: &MatmulBt, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn scratch(&self, _: &MatmulBt, call: &Call<'_>) -> usize {
        let k = call.input(0).map_or(0, |a| a.cols());
        matmul_scratch::<T, W>(call.rows(), k) * size_of::<f32>()
    }

    fn run(&self, _: &MatmulBt, io: &mut Io<'_>) -> Result<(), KernelError> {
        let cols = io.tile().cols;
        let (acts, weights) = (io.input::<f32>(0), io.input::<W>(1).slice_rows(cols.start, cols.len()));
        let (out, scratch) = (io.output::<f32>(0), io.scratch_of::<f32>());
        self.tier.perform(Multiply { tier: self.tier, acts, weights, out, scratch });
        Ok(())
    }
}

struct Multiply<'a, T, W> {
    tier: T,
    acts: View<'a, f32>,
    weights: View<'a, W>,
    out: ViewMut<'a, f32>,
    scratch: &'a mut [f32],
}

impl<T: Tier, W: Weight> Work for Multiply<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.tier.float_matmul::<W>(self.weights, self.acts, &mut self.out, self.scratch);
    }
}
