//! The gate of a SwiGLU feed-forward layer.

use super::case::Case;
use super::elementwise;
use super::{Inputs, Op, Outs, Tolerance};
use crate::OpError;

/// `out = silu(gate) * up` (Shazeer, "GLU Variants Improve Transformer", 2020), with silu rounded before it is
/// multiplied.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `gate` | `[.., D]` | f32 |
/// | `up` | as `gate` | f32 |
/// | out | as `gate` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct SiluMul;

impl Op for SiluMul {
    const NAME: &'static str = "silu_mul";
    const INPUTS: &'static [&'static str] = &["gate", "up"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-37, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        elementwise::infer_alike(inputs, 2)
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0), (1, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        elementwise::cases_alike(SiluMul, 2)
    }
}
