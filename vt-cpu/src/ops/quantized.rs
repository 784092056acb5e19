//! Kernels of ops whose output is quantized as it is made ([`Quantized`]): a row at a time, which stays in the cache.

use std::marker::PhantomData;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use vt_core::op::{Producer, Quantized};
use vt_core::registry::Builder;
use vt_core::{View, ViewMut};

use super::elementwise::Binary;
use super::{Tier, share};
use crate::CPU;
use crate::arch::{Isa, Work};
use crate::block::{ActivationBlock, Q8_0, Q8_1, Q8K};

/// Up to this many activations every worker computes for itself.
const FEW_ACTIVATIONS: usize = 16 << 10;

/// An op of two inputs that makes its output row by row.
pub(super) trait ByRows: Producer {
    /// How much of its inputs a tile takes.
    const NEEDS: [Need; 2];

    /// Elements of a row that are made at once, in whole blocks.
    const PART: usize;

    /// How the output may be divided, in blocks of so many elements.
    fn cut(call: &Call<'_>, block: usize) -> Cut;

    /// Writes row `row` of the output, from element `from` on. Implementations are `#[inline(always)]`.
    fn write(&self, inputs: &[View<'_, f32>; 2], row: usize, from: usize, out: &mut [f32]);
}

impl<P: Binary + Producer> ByRows for P {
    const NEEDS: [Need; 2] = [Need::Tile; 2];
    const PART: usize = 512;

    fn cut(call: &Call<'_>, block: usize) -> Cut {
        let elements = call.rows().saturating_mul(call.cols());
        Cut { each: elements <= FEW_ACTIVATIONS, ..share::by_blocks(call, block) }
    }

    #[inline(always)]
    fn write(&self, [a, b]: &[View<'_, f32>; 2], row: usize, from: usize, out: &mut [f32]) {
        for ((out, a), b) in out.iter_mut().zip(&a.row(row)[from..]).zip(&b.row(row)[from..]) {
            *out = self.apply(*a, *b);
        }
    }
}

/// Registers the kernels of a tier, one for each activation block type.
pub(super) fn register<T: Tier, P: ByRows>(builder: &mut Builder, isa: T) {
    builder.kernel::<Quantized<P>>(CPU, Encode::<T, Q8_0>(isa, PhantomData));
    builder.kernel::<Quantized<P>>(CPU, Encode::<T, Q8_1>(isa, PhantomData));
    builder.kernel::<Quantized<P>>(CPU, Encode::<T, Q8K>(isa, PhantomData));
}

struct Encode<I, A>(I, PhantomData<A>);

impl<I: Isa, P: ByRows, A: ActivationBlock + Send + Sync> Kernel<Quantized<P>> for Encode<I, A> {
    fn name(&self) -> String {
        format!("{}-{}-{}", I::NAME, P::QUANTIZED, A::DTYPE)
    }

    fn priority(&self) -> i32 {
        I::PRIORITY
    }

    fn supports(&self, op: &Quantized<P>, _: &Call<'_>) -> Support {
        Support::when(op.to == A::DTYPE, || format!("encodes {}, not {}", A::DTYPE, op.to))
    }

    fn cut(&self, _: &Quantized<P>, call: &Call<'_>) -> Cut {
        P::cut(call, A::ELEMS)
    }

    fn need(&self, _: &Quantized<P>, i: usize) -> Need {
        P::NEEDS.get(i).copied().unwrap_or(Need::All)
    }

    fn scratch(&self, _: &Quantized<P>, call: &Call<'_>) -> usize {
        P::PART.min(call.cols()) * size_of::<f32>()
    }

    fn run(&self, op: &Quantized<P>, io: &mut Io<'_>) -> Result<(), KernelError> {
        let inputs = [io.input::<f32>(0), io.input::<f32>(1)];
        let (out, made) = (io.output::<u8>(0), io.scratch_of::<f32>());
        self.0.perform(EncodeRows::<P, A> { op: &op.of, inputs, made, out, block: PhantomData });
        Ok(())
    }
}

struct EncodeRows<'a, P, A> {
    op: &'a P,
    inputs: [View<'a, f32>; 2],
    made: &'a mut [f32],
    out: ViewMut<'a, u8>,
    block: PhantomData<A>,
}

impl<P: ByRows, A: ActivationBlock> Work for EncodeRows<'_, P, A> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let cols = self.inputs[0].cols();
        for row in 0..self.out.rows() {
            let out = self.out.row_mut(row);
            for from in (0..cols).step_by(P::PART) {
                let made = &mut self.made[..P::PART.min(cols - from)];
                self.op.write(&self.inputs, row, from, made);
                let blocks = from / A::ELEMS..(from + made.len()) / A::ELEMS;
                A::encode(made, &mut out[blocks.start * A::BYTES..blocks.end * A::BYTES]);
            }
        }
    }
}
