//! Kernels of ops that compute each element from the same element of their inputs.

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need};
use vt_core::op::Op;
use vt_core::{View, ViewMut};

use super::share;
use crate::arch::{Isa, Work};

/// An op of one input: each element of the output from the same one of the input.
pub(super) trait Unary: Op {
    /// An element of the output. Implementations are `#[inline(always)]`.
    fn apply(&self, x: f32) -> f32;
}

/// An op of two inputs: each element of the output from the same one of both; a second input of one row goes with every
/// row.
pub(super) trait Binary: Op {
    /// An element of the output. Implementations are `#[inline(always)]`.
    fn apply(&self, a: f32, b: f32) -> f32;
}

/// The kernel of a [`Unary`] op.
pub(super) struct UnaryKernel<I>(pub I);

/// The kernel of a [`Binary`] op.
pub(super) struct BinaryKernel<I>(pub I);

impl<I: Isa, O: Unary> Kernel<O> for UnaryKernel<I> {
    fn name(&self) -> String {
        format!("{}-{}", I::NAME, O::NAME)
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

    fn run(&self, op: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        let x = (!io.shared(0)).then(|| io.input::<f32>(0));
        let out = io.output::<f32>(0);
        self.0.perform(UnaryWork { op: op.clone(), x, out });
        Ok(())
    }
}

struct UnaryWork<'a, O> {
    op: O,
    /// `None` if the input lies in the output already.
    x: Option<View<'a, f32>>,
    out: ViewMut<'a, f32>,
}

impl<O: Unary> Work for UnaryWork<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            match self.x {
                Some(x) => out.iter_mut().zip(x.row(row)).for_each(|(out, x)| *out = self.op.apply(*x)),
                None => out.iter_mut().for_each(|out| *out = self.op.apply(*out)),
            }
        }
    }
}

impl<I: Isa, O: Binary> Kernel<O> for BinaryKernel<I> {
    fn name(&self) -> String {
        format!("{}-{}", I::NAME, O::NAME)
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

    fn run(&self, op: &O, io: &mut Io<'_>) -> Result<(), KernelError> {
        let input = |i: usize| (!io.shared(i)).then(|| io.input::<f32>(i));
        let (a, b) = (input(0), input(1));
        let out = io.output::<f32>(0);
        self.0.perform(BinaryWork { op: op.clone(), a, b, out });
        Ok(())
    }
}

struct BinaryWork<'a, O> {
    op: O,
    /// `None` if the input lies in the output already.
    a: Option<View<'a, f32>>,
    b: Option<View<'a, f32>>,
    out: ViewMut<'a, f32>,
}

impl<O: Binary> Work for BinaryWork<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            let b = self.b.map(|b| b.row(if b.rows() == 1 { 0 } else { row }));
            match (self.a.map(|a| a.row(row)), b) {
                (Some(a), Some(b)) => {
                    out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = self.op.apply(*a, *b));
                }
                (None, Some(b)) => out.iter_mut().zip(b).for_each(|(out, b)| *out = self.op.apply(*out, *b)),
                (Some(a), None) => out.iter_mut().zip(a).for_each(|(out, a)| *out = self.op.apply(*a, *out)),
                (None, None) => out.iter_mut().for_each(|out| *out = self.op.apply(*out, *out)),
            }
        }
    }
}
