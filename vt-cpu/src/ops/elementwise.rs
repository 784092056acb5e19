//! Kernels of ops that compute each element from the same element of their inputs.

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::Op;
use vt_core::{View, ViewMut};

use super::share;
use crate::arch::{Isa, Work};

/// A function of one number.
pub(super) trait Unary: Send + Sync + 'static {
    /// Its value. Implementations are `#[inline(always)]`.
    fn apply(x: f32) -> f32;
}

/// A function of two numbers.
pub(super) trait Binary: Send + Sync + 'static {
    /// Its value. Implementations are `#[inline(always)]`.
    fn apply(a: f32, b: f32) -> f32;
}

/// A kernel of an op with one input: `F` of each element.
pub(super) struct UnaryKernel<I, F> {
    pub isa: I,
    pub op: &'static str,
    pub function: PhantomData<F>,
}

/// A kernel of an op with two inputs: `F` of each pair of elements; a second input of one row goes with every row.
pub(super) struct BinaryKernel<I, F> {
    pub isa: I,
    pub op: &'static str,
    pub function: PhantomData<F>,
}

impl<I: Isa, O: Op, F: Unary> Kernel<O> for UnaryKernel<I, F> {
    fn name(&self) -> String {
        format!("{}-{}", I::NAME, self.op)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &O, call: &Call<'_>) -> Cut {
        share::anywhere(call)
    }

    fn need(&self, _: &O, _: usize) -> Need {
        Need::Tile
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, _: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        let x = (!io.shared(0)).then(|| io.input::<f32>(0));
        let out = io.output::<f32>(0);
        self.isa.perform(UnaryWork::<F> { x, out, function: PhantomData });
        Ok(())
    }
}

struct UnaryWork<'a, F> {
    /// `None` if the input lies in the output already.
    x: Option<View<'a, f32>>,
    out: ViewMut<'a, f32>,
    function: PhantomData<F>,
}

impl<F: Unary> Work for UnaryWork<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            match self.x {
                Some(x) => out.iter_mut().zip(x.row(row)).for_each(|(out, x)| *out = F::apply(*x)),
                None => out.iter_mut().for_each(|out| *out = F::apply(*out)),
            }
        }
    }
}

impl<I: Isa, O: Op, F: Binary> Kernel<O> for BinaryKernel<I, F> {
    fn name(&self) -> String {
        format!("{}-{}", I::NAME, self.op)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn cut(&self, _: &O, call: &Call<'_>) -> Cut {
        share::anywhere(call)
    }

    fn need(&self, _: &O, _: usize) -> Need {
        Need::Tile
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, _: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        let input = |i: usize| (!io.shared(i)).then(|| io.input::<f32>(i));
        let (a, b) = (input(0), input(1));
        let out = io.output::<f32>(0);
        self.isa.perform(BinaryWork::<F> { a, b, out, function: PhantomData });
        Ok(())
    }
}

struct BinaryWork<'a, F> {
    /// `None` if the input lies in the output already.
    a: Option<View<'a, f32>>,
    b: Option<View<'a, f32>>,
    out: ViewMut<'a, f32>,
    function: PhantomData<F>,
}

impl<F: Binary> Work for BinaryWork<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            let b = self.b.map(|b| b.row(if b.rows() == 1 { 0 } else { row }));
            match (self.a.map(|a| a.row(row)), b) {
                (Some(a), Some(b)) => {
                    out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = F::apply(*a, *b));
                }
                (None, Some(b)) => out.iter_mut().zip(b).for_each(|(out, b)| *out = F::apply(*out, *b)),
                (Some(a), None) => out.iter_mut().zip(a).for_each(|(out, a)| *out = F::apply(*a, *out)),
                (None, None) => out.iter_mut().for_each(|out| *out = F::apply(*out, *out)),
            }
        }
    }
}
