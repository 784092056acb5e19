//! Multiplication by a constant.

use super::case::{Case, Fill, Operand};
use super::elementwise;
use super::{Attrs, Inputs, Op, Outs, Tolerance};
use crate::{DType, Desc, OpError, Sym};

/// `out = x * factor`, rounded once.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[.., D]` | f32 |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What every element is multiplied by: finite.
    pub factor: f32,
}

impl Op for Scale {
    const NAME: &'static str = "scale";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-45, relative: 1e-7 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        inputs.want_attribute(self.factor.is_finite(), "factor", "a finite number", self.factor)?;
        elementwise::infer_alike(inputs, 1)
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().float("factor", self.factor.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        elementwise::overwrites(1)
    }

    fn cases() -> Vec<Case<Self>> {
        let case = |(kind, factor): (&str, f32)| {
            let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, 21), Fill::Wide);
            Case::new(format!("{kind}-t3-d21"), Scale { factor }, 3, vec![x])
        };
        let factors =
            [("zero", 0.0), ("one", 1.0), ("minus", -1.0), ("eighth", 0.125), ("tiny", 1e-30), ("huge", 3e30)];
        let mut cases = elementwise::cases_alike(Scale { factor: 640f32.sqrt() }, 1);
        cases.extend(factors.map(case));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        elementwise::benches_alike(Scale { factor: 3.0 }, 1)
    }
}
