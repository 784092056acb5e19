//! Multiplication, element by element.

use super::case::Case;
use super::elementwise;
use super::{Inputs, Op, Outs, Tolerance};
use crate::OpError;

/// `out = a * b`, rounded once.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[.., D]` | f32 |
/// | `b` | as `a`, or `[D]`: multiplies every row | f32 |
/// | out | as `a` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Mul;

impl Op for Mul {
    const NAME: &'static str = "mul";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-45, relative: 1e-7 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        elementwise::infer_with_row(inputs)
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0), (1, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        elementwise::cases_with_row(Mul)
    }

    fn benches() -> Vec<Case<Self>> {
        elementwise::benches_alike(Mul, 2)
    }
}
