//! Kernels of [`MatmulBt`].

use std::marker::PhantomData;

use half::{bf16, f16};
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::MatmulBt;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{FloatTiles, Tier, share};
use crate::CPU;
use crate::arch::Work;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx512Bf16, Isa};
use crate::float::{Weight, matmul_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f32>::new(tier, "f32"));
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f16>::new(tier, "f16"));
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, bf16>::new(tier, "bf16"));
}

/// The kernel of bf16 weights by the instruction that multiplies them: before that of the tier where it is faster.
#[cfg(target_arch = "x86_64")]
pub(crate) fn register_pairs(builder: &mut Builder, isa: Avx512Bf16) {
    let tiles = Tiles::<_, bf16>::new(isa, "bf16");
    let priority = tiles.priority + if isa.is_faster() { 1 } else { -1 };
    builder.kernel::<MatmulBt>(CPU, Tiles { name: format!("{}-bf16-pairs", Avx512Bf16::NAME), priority, ..tiles });
}

struct Tiles<T, W> {
    tier: T,
    weight: &'static str,
    name: String,
    priority: i32,
    element: PhantomData<W>,
}

impl<T: FloatTiles, W> Tiles<T, W> {
    fn new(tier: T, weight: &'static str) -> Self {
        Self { tier, weight, name: format!("{}-{weight}-tiles", T::NAME), priority: T::PRIORITY, element: PhantomData }
    }
}

impl<T: FloatTiles, W: Weight> Kernel<MatmulBt> for Tiles<T, W> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn priority(&self) -> i32 {
        self.priority
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

/// A matmul with float weights.
pub(super) struct Multiply<'a, T, W> {
    pub(super) tier: T,
    pub(super) acts: View<'a, f32>,
    pub(super) weights: View<'a, W>,
    pub(super) out: ViewMut<'a, f32>,
    pub(super) scratch: &'a mut [f32],
}

impl<T: FloatTiles, W: Weight> Work for Multiply<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.tier.float_matmul::<W>(self.weights, self.acts, &mut self.out, self.scratch);
    }
}
