//! Addition.

use super::case::Case;
use super::elementwise;
use super::{Inputs, Op, Outs, Tolerance};
use crate::OpError;

/// `out = a + b`, rounded once.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[.., D]` | f32 |
/// | `b` | as `a`, or `[D]`: added to every row | f32 |
/// | out | as `a` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Add;

impl Op for Add {
    const NAME: &'static str = "add";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 0.0, relative: 1e-7 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        elementwise::infer_with_row(inputs)
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0), (1, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        elementwise::cases_with_row(Add)
    }

    fn benches() -> Vec<Case<Self>> {
        elementwise::benches_alike(Add, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::case::{Fill, Operand};

    #[test]
    fn cases_cover_both_forms() {
        let rows = |c: &Case<Add>| matches!(&c.inputs[1], Operand::Tensor { desc, fill: Fill::Normal(_) } if desc.shape.len() == 1);
        assert!(Add::cases().iter().any(rows) && Add::cases().iter().any(|c| !rows(c)));
    }
}
