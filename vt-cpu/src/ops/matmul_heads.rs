//! Kernels of [`MatmulHeads`].

use std::marker::PhantomData;

use half::{bf16, f16};
use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::MatmulHeads;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::Tier;
use super::matmul_bt::Multiply;
use super::weights::multiplies;
use crate::CPU;
use crate::float::{Weight, matmul_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulHeads>(CPU, Tiles::<T, f32>(tier, "f32", PhantomData));
    builder.kernel::<MatmulHeads>(CPU, Tiles::<T, f16>(tier, "f16", PhantomData));
    builder.kernel::<MatmulHeads>(CPU, Tiles::<T, bf16>(tier, "bf16", PhantomData));
}

/// The sizes `[H, N, K]` of a call's weight, if it has three.
pub(super) fn weight_dims(call: &Call<'_>) -> Option<[usize; 3]> {
    let shape = &call.input(1)?.shape;
    let dims: Vec<usize> = shape.iter().map(|dim| call.sizes.of(*dim)).collect();
    dims.try_into().ok()
}

/// Whole heads, of which workers get as many each.
pub(super) fn by_heads(call: &Call<'_>) -> Cut {
    weight_dims(call).map_or(Cut::whole(), |[_, n, _]| Cut::cols(n))
}

struct Tiles<T, W>(T, &'static str, PhantomData<W>);

impl<T: Tier, W: Weight> Kernel<MatmulHeads> for Tiles<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-heads", T::NAME, self.1)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    fn supports(&self, _: &MatmulHeads, call: &Call<'_>) -> Support {
        multiplies(call, self.1, W::fits)
    }

    fn cut(&self, _: &MatmulHeads, call: &Call<'_>) -> Cut {
        by_heads(call)
    }

    fn need(&self, _: &MatmulHeads, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn scratch(&self, _: &MatmulHeads, call: &Call<'_>) -> usize {
        let k = weight_dims(call).map_or(0, |[_, _, k]| k);
        matmul_scratch::<T, W>(call.rows(), k) * size_of::<f32>()
    }

    fn run(&self, _: &MatmulHeads, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights, first) = (io.input::<f32>(0), io.input::<W>(1), io.tile().cols.start);
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<f32>());
        for_each_head(acts, weights, weights.cols(), (&mut out, first), |acts, weights, out| {
            self.0.perform(Multiply { tier: self.0, acts, weights, out, scratch: &mut *scratch });
        });
        Ok(())
    }
}

/// Hands over each head of the tile `out`, whose first column is `first`: its part of `acts`, of `width` elements, its
/// rows of the weight, and its part of the tile.
pub(super) fn for_each_head<A, W>(
    acts: View<'_, A>,
    weights: View<'_, W>,
    width: usize,
    (out, first): (&mut ViewMut<'_, f32>, usize),
    mut multiply: impl FnMut(View<'_, A>, View<'_, W>, ViewMut<'_, f32>),
) {
    let (rows, cols) = (out.rows(), out.cols());
    if width == 0 || cols == 0 {
        return (0..rows).for_each(|row| out.row_mut(row).fill(0.0));
    }
    let heads = acts.cols() / width;
    let n = cols / heads;
    for head in 0..heads {
        let weights = weights.slice_rows(first + head * n, n);
        multiply(acts.slice_cols(head * width, width), weights, out.tile(0, rows, head * n, n));
    }
}
