//! Kernels of [`MatmulHeadsQuant`]: those of [`MatmulBtQuant`](vt_core::op::MatmulBtQuant), head by head.

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::MatmulHeadsQuant;
use vt_core::registry::Builder;

use super::BlockTier;
use super::matmul_bt_quant::{MultiplyFew, MultiplyPanels};
use super::matmul_heads::{by_heads, for_each_head, weight_dims};
use super::weights::{multiplies_few, multiplies_many, register_block_types};
use crate::CPU;
use crate::block::{ActivationBlock, RowLanes};
use crate::quant::few_rows_scratch;

pub(super) fn register<T: BlockTier>(builder: &mut Builder, tier: T) {
    if T::FEW_ROWS > 0 {
        register_block_types!(few_rows_of_type, builder, tier);
    }
    register_block_types!(panels_of_type, builder, tier);
}

fn few_rows_of_type<T: BlockTier, W: RowLanes + Send + Sync>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulHeadsQuant>(CPU, FewRows::<T, W>(tier, PhantomData));
}

fn panels_of_type<T: BlockTier, W: RowLanes + Send + Sync>(builder: &mut Builder, tier: T) {
    // A tier whose road never suits a type leaves it to the one below.
    if T::suits::<W>(usize::MAX) {
        builder.kernel::<MatmulHeadsQuant>(CPU, Panels::<T, W>(tier, PhantomData));
    }
}

/// Elements of a head.
fn elements(call: &Call<'_>) -> usize {
    weight_dims(call).map_or(0, |[_, _, k]| k)
}

/// Bytes of a head's activations beside weight rows of so many bytes.
fn head_bytes<W: RowLanes>(row: usize) -> usize {
    row / W::BYTES * <W::Act as ActivationBlock>::BYTES
}

struct FewRows<T, W>(T, PhantomData<W>);

impl<T: BlockTier, W: RowLanes + Send + Sync> Kernel<MatmulHeadsQuant> for FewRows<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-heads-few-rows", T::NAME, W::DTYPE)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY + 1
    }

    fn supports(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> Support {
        multiplies_few(call, W::DTYPE, T::FEW_ROWS)
    }

    fn cut(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> Cut {
        by_heads(call)
    }

    fn need(&self, _: &MatmulHeadsQuant, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn scratch(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> usize {
        few_rows_scratch::<W>(call.rows(), elements(call)) * size_of::<i16>()
    }

    fn run(&self, _: &MatmulHeadsQuant, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights, first) = (io.input::<u8>(0), io.input::<u8>(1), io.tile().cols.start);
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<i16>());
        for_each_head(acts, weights, head_bytes::<W>(weights.cols()), (&mut out, first), |acts, weights, out| {
            let scratch = &mut *scratch;
            self.0.multiply_few(MultiplyFew::<W> { acts, weights, out, scratch, block: PhantomData });
        });
        Ok(())
    }
}

struct Panels<T, W>(T, PhantomData<W>);

impl<T: BlockTier, W: RowLanes + Send + Sync> Kernel<MatmulHeadsQuant> for Panels<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-heads-panels", T::NAME, W::DTYPE)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    fn supports(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> Support {
        multiplies_many(call, W::DTYPE, T::suits::<W>)
    }

    fn cut(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> Cut {
        by_heads(call)
    }

    fn need(&self, _: &MatmulHeadsQuant, i: usize) -> Need {
        if i == 0 { Need::Tile } else { Need::All }
    }

    fn scratch(&self, _: &MatmulHeadsQuant, call: &Call<'_>) -> usize {
        T::scratch::<W>(call.rows(), elements(call)) * size_of::<T::Scratch>()
    }

    fn run(&self, _: &MatmulHeadsQuant, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights, first) = (io.input::<u8>(0), io.input::<u8>(1), io.tile().cols.start);
        let (mut out, scratch) = (io.output::<f32>(0), io.scratch_of::<T::Scratch>());
        for_each_head(acts, weights, head_bytes::<W>(weights.cols()), (&mut out, first), |acts, weights, out| {
            let (tier, scratch) = (self.0, &mut *scratch);
            tier.multiply(MultiplyPanels::<T, W> { tier, acts, weights, out, scratch, block: PhantomData });
        });
        Ok(())
    }
}
