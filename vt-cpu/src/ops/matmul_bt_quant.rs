//! Kernels of [`MatmulBtQuant`]: for each weight block type one for few rows and one for many.

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::MatmulBtQuant;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{BlockTier, Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::block::{Mxfp4, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, RowLanes, WeightBlock};
use crate::quant::{ManyRows, few_rows, few_rows_scratch};

pub(super) fn register<T: Tier>(builder: &mut Builder, tier: T) {
    if T::FEW_ROWS > 0 {
        register_few_rows(builder, tier);
    }
    register_panels(builder, tier);
}

fn register_few_rows<T: Tier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q4_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q4_1>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q5_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q5_1>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q8_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q2K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q3K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q4K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q5K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Q6K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, FewRows::<T, Mxfp4>(tier, PhantomData));
}

/// The kernels for many rows.
pub(super) fn register_panels<T: BlockTier>(builder: &mut Builder, tier: T) {
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q4_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q4_1>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q5_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q5_1>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q8_0>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q2K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q3K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q4K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q5K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Q6K>(tier, PhantomData));
    builder.kernel::<MatmulBtQuant>(CPU, Panels::<T, Mxfp4>(tier, PhantomData));
}

pub(super) fn multiplies<W: WeightBlock>(call: &Call<'_>) -> Support {
    let found = call.dtype(1);
    Support::when(found == Some(W::DTYPE), || {
        format!("multiplies {}, not {}", W::DTYPE, found.map_or("state", |d| d.name()))
    })
}

/// The same, if there are as many rows as it is worth.
pub(super) fn multiplies_many<T: BlockTier, W: RowLanes>(call: &Call<'_>) -> Support {
    let least = T::least_rows::<W>();
    match multiplies::<W>(call) {
        Support::Yes => Support::when(call.rows() >= least, || format!("{} rows are fewer than {least}", call.rows())),
        no => no,
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

impl<T: Tier, W: RowLanes + Send + Sync> Kernel<MatmulBtQuant> for FewRows<T, W> {
    fn name(&self) -> String {
        format!("{}-{}-few-rows", T::NAME, W::DTYPE)
    }

    fn priority(&self) -> i32 {
        T::PRIORITY + 1
    }

    fn supports(&self, _: &MatmulBtQuant, call: &Call<'_>) -> Support {
        match multiplies::<W>(call) {
            Support::Yes => {
                let most = T::FEW_ROWS;
                Support::when(call.rows() <= most, || format!("{} rows are more than {most}", call.rows()))
            }
            no => no,
        }
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
        multiplies_many::<T, W>(call)
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
