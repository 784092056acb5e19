//! Kernels of [`MatmulBt`].

use std::marker::PhantomData;

use half::{bf16, f16};
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::MatmulBt;
use vt_core::registry::Builder;
use vt_core::{DType, View, ViewMut};

use super::weights::multiplies;
use super::{FloatTiles, Tier, share};
use crate::CPU;
use crate::arch::Work;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx512Bf16, Isa};
use crate::float::{Weight, matmul_scratch};

/// Bytes of weights that every worker may read for itself, where there are rows enough: they stay in its caches.
const FEW_WEIGHTS: usize = 4 << 20;

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f32>::new(tier, "f32"));
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, f16>::new(tier, "f16"));
    builder.kernel::<MatmulBt>(CPU, Tiles::<T, bf16>::new(tier, "bf16"));
}

/// The kernel of bf16 weights by the instruction that multiplies them: before that of the tier where it is faster.
#[cfg(target_arch = "x86_64")]
pub(super) fn register_pairs(builder: &mut Builder, isa: Avx512Bf16) {
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
        multiplies(call, self.weight, W::fits)
    }

    /// Rows of a product with few weights follow the rows that they are made of, without a barrier: a router's.
    fn cut(&self, _: &MatmulBt, call: &Call<'_>) -> Cut {
        let weights = call.input(1).and_then(|w| w.bytes(&call.sizes)).unwrap_or(usize::MAX);
        let few = call.dtype(1) == Some(DType::F32) && weights <= FEW_WEIGHTS;
        Cut { rows: usize::from(few), ..Cut::cols(share::LINE) }
    }

    fn need(&self, _: &MatmulBt, i: usize) -> Need {
        if i == 0 { Need::Rows } else { Need::All }
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

pub(super) struct Multiply<'a, T, W> {
    pub tier: T,
    pub acts: View<'a, f32>,
    pub weights: View<'a, W>,
    pub out: ViewMut<'a, f32>,
    pub scratch: &'a mut [f32],
}

impl<T: FloatTiles, W: Weight> Work for Multiply<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.tier.float_matmul::<W>(self.weights, self.acts, &mut self.out, self.scratch);
    }
}
