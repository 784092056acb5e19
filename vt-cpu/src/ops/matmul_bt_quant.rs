//! Kernels of [`MatmulBtQuant`]: for each weight block type one for few rows and one for many.

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::MatmulBtQuant;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::weights::{multiplies_few, multiplies_many, register_block_types};
use super::{BlockTier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::block::{RowLanes, WeightBlock};
use crate::quant::{ManyRows, few_rows, few_rows_scratch};

pub(super) fn register<T: BlockTier>(builder: &mut Builder, tier: T) {
    if T::FEW_ROWS > 0 {
        register_block_types!(few_rows_of_type, builder, tier);
    }
    register_block_types!(panels_of_type, builder, tier);
}

fn few_rows_of_type<T: BlockTier, W: RowLanes + Send + Sync>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, W>(tier, PhantomData));
}

fn panels_of_type<T: BlockTier, W: RowLanes + Send + Sync>(builder: &mut Builder, tier: T) {
    // A tier whose road never suits a type leaves it to the one below.
    if T::suits::<W>(usize::MAX) {
        builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, W>(tier, PhantomData));
    }
}

fn elements_of_row(call: &Call<'_>) -> usize {
    call.input(0).map_or(0, |a| a.cols())
}

/// Activations and the tile's rows of the weights.
fn operands<'a>(io: &Io<'a>) -> (View<'a, u8>, View<'a, u8>) {
    let cols = io.tile().cols;
    (io.input::<u8>(0), io.input::<u8>(1).slice_rows(cols.start, cols.len()))
}

struct FewRows<T, W>(T, PhantomData<W>);

impl<T: BlockTier, W: RowLanes + Send + Sync> Kernel<MatmulBtQuant> for FewRows<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-few-rows", T::NAME, W::DTYPE)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY + 1
    }

    fn supports(&self, _: &MatmulBtQuant, call: &Call<'_>) -> Support {
        multiplies_few(call, W::DTYPE, T::FEW_ROWS)
    }

    fn cut(&self, _: &MatmulBtQuant, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn scratch(&self, _: &MatmulBtQuant, call: &Call<'_>) -> usize {
        few_rows_scratch::<W>(call.rows(), elements_of_row(call)) * size_of::<i16>()
    }

    fn run(&self, _: &MatmulBtQuant, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights) = operands(io);
        let (out, scratch) = (io.output::<f32>(0), io.scratch_of::<i16>());
        self.0.multiply_few(MultiplyFew::<W> { acts, weights, out, scratch, block: PhantomData });
        Ok(())
    }
}

/// A product of few activation rows.
pub(crate) struct MultiplyFew<'a, W> {
    pub acts: View<'a, u8>,
    pub weights: View<'a, u8>,
    pub out: ViewMut<'a, f32>,
    pub scratch: &'a mut [i16],
    pub block: PhantomData<W>,
}

impl<W: WeightBlock> MultiplyFew<'_, W> {
    /// Does it, by the instructions of a tier.
    #[inline(never)]
    pub(super) fn compute<T: Isa>(self, tier: T) {
        tier.perform(self);
    }
}

impl<W: WeightBlock> Work for MultiplyFew<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        few_rows::<W>(self.weights, self.acts, &mut self.out, self.scratch);
    }
}

struct Panels<T, W>(T, PhantomData<W>);

impl<T: BlockTier, W: RowLanes + Send + Sync> Kernel<MatmulBtQuant> for Panels<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-panels", T::NAME, W::DTYPE)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    fn supports(&self, _: &MatmulBtQuant, call: &Call<'_>) -> Support {
        multiplies_many(call, W::DTYPE, T::suits::<W>)
    }

    fn cut(&self, _: &MatmulBtQuant, _: &Call<'_>) -> Cut {
        Cut::cols(share::LINE)
    }

    fn scratch(&self, _: &MatmulBtQuant, call: &Call<'_>) -> usize {
        T::scratch::<W>(call.rows(), elements_of_row(call)) * size_of::<T::Scratch>()
    }

    fn run(&self, _: &MatmulBtQuant, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (acts, weights) = operands(io);
        let (out, scratch) = (io.output::<f32>(0), io.scratch_of::<T::Scratch>());
        self.0.multiply(MultiplyPanels::<T, W> { tier: self.0, acts, weights, out, scratch, block: PhantomData });
        Ok(())
    }
}

/// A product of any number of activation rows.
pub(crate) struct MultiplyPanels<'a, T: ManyRows, W> {
    pub tier: T,
    pub acts: View<'a, u8>,
    pub weights: View<'a, u8>,
    pub out: ViewMut<'a, f32>,
    pub scratch: &'a mut [T::Scratch],
    pub block: PhantomData<W>,
}

impl<T: ManyRows, W: RowLanes> MultiplyPanels<'_, T, W> {
    /// As [`MultiplyFew::compute`].
    #[inline(never)]
    pub(super) fn compute(self) {
        self.tier.perform(self);
    }
}

impl<T: ManyRows, W: RowLanes> Work for MultiplyPanels<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.tier.many_rows::<W>(self.weights, self.acts, &mut self.out, self.scratch);
    }
}
