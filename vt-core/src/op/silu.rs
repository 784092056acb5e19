//! The SiLU activation.

use super::case::Case;
use super::elementwise;
use super::{Inputs, Op, Outs, Tolerance};
use crate::OpError;

/// `out = x / (1 + exp(-x))` (Elfwing, Uchibe and Doya, 2018).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[.., D]` | f32 |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Silu;

impl Op for Silu {
    const NAME: &'static str = "silu";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-37, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        elementwise::infer_alike(inputs, 1)
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        elementwise::cases_alike(Silu, 1)
    }
}
