//! Ops whose output is quantized as it is made.

use super::quantize::blocks;
use super::{Attrs, Case, Fill, Inputs, Op, Operand, Outs, Tolerance};
use crate::{DType, OpError};

/// An op that may be one with the [`Quantize`](super::Quantize) of its output: f32, of the shape of input 0.
pub trait Producer: Op {
    /// The name of both in one.
    const QUANTIZED: &'static str;

    /// An example whose rows have `k` elements.
    fn example(k: usize, fill: Fill) -> (Self, Vec<Operand>);
}

/// What `P` gives, in the activation blocks `to`: the bits of [`Quantize`](super::Quantize) after `P`, without the f32
/// rows in memory between them.
///
/// | operand | shape | type |
/// |---|---|---|
/// | those of `P` | the first is `[.., K]`, K a multiple of the block | as `P` has them |
/// | out | as the first | `to`: q8_0, q8_1 or q8_k |
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized<P> {
    /// What makes the rows.
    pub of: P,
    /// The activation block type.
    pub to: DType,
}

impl<P: Producer> Op for Quantized<P> {
    const NAME: &'static str = P::QUANTIZED;
    const INPUTS: &'static [&'static str] = P::INPUTS;
    /// A number that a rounding moves across the middle between two quants becomes the other one.
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-5);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        self.of.infer(inputs)?;
        blocks(inputs, self.to)
    }

    fn attrs(&self) -> Attrs {
        self.of.attrs().text("to", self.to.name())
    }

    fn cases() -> Vec<Case<Self>> {
        let mut cases = Vec::new();
        for to in [DType::Q8_0, DType::Q8_1, DType::Q8K] {
            let block = to.block_elems();
            let many = if to == DType::Q8K { 5 } else { 17 };
            for (t, k) in [(0, block), (1, block), (2, 0), (3, 2 * block), (many, block)] {
                cases.push(case(to, t, k, Fill::Normal(2.0), ""));
            }
            cases.push(case(to, 2, block, Fill::Zero, "zero-"));
            cases.push(case(to, 2, 2 * block, Fill::NonFinite, "nonfinite-"));
        }
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        let types = [DType::Q8_0, DType::Q8_1, DType::Q8K];
        types.into_iter().flat_map(|to| [1, 512].map(|t| case(to, t, 4096, Fill::Normal(2.0), ""))).collect()
    }
}

fn case<P: Producer>(to: DType, t: usize, k: usize, fill: Fill, kind: &str) -> Case<Quantized<P>> {
    let (of, inputs) = P::example(k, fill);
    Case::new(format!("{to}-{kind}t{t}-k{k}"), Quantized { of, to }, t, inputs)
}
