//! Kernels of [`Quantize`].

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::Quantize;
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::block::{ActivationBlock, Q8_0, Q8_1, Q8K};

pub(super) fn register<T: Tier>(builder: &mut Builder, isa: T) {
    builder.kernel::<Quantize>(CPU, Encode::<T, Q8_0>(isa, PhantomData));
    builder.kernel::<Quantize>(CPU, Encode::<T, Q8_1>(isa, PhantomData));
    builder.kernel::<Quantize>(CPU, Encode::<T, Q8K>(isa, PhantomData));
}

struct Encode<I, A>(I, PhantomData<A>);

impl<I: Isa, A: ActivationBlock + Send + Sync> Kernel<Quantize> for Encode<I, A> {
    fn name(&self) -> String {
        format!("{}-quantize-{}", I::NAME, A::DTYPE)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, op: &Quantize, _: &Call<'_>) -> Support {
        Support::when(op.to == A::DTYPE, || format!("encodes {}, not {}", A::DTYPE, op.to))
    }

    fn cut(&self, _: &Quantize, call: &Call<'_>) -> Cut {
        share::by_blocks(call, A::ELEMS)
    }

    fn need(&self, _: &Quantize, _: usize) -> Need {
        Need::Tile
    }

    fn run(&self, _: &Quantize, io: &mut Io<'_>) -> Result<(), KernelError> {
        let x = io.input::<f32>(0);
        let out = io.output::<u8>(0);
        self.0.perform(EncodeRows::<A> { x, out, block: PhantomData });
        Ok(())
    }
}

struct EncodeRows<'a, A> {
    x: View<'a, f32>,
    out: ViewMut<'a, u8>,
    block: PhantomData<A>,
}

impl<A: ActivationBlock> Work for EncodeRows<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for row in 0..self.out.rows() {
            A::encode(self.x.row(row), self.out.row_mut(row));
        }
    }
}
