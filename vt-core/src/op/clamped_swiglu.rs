//! The gate of the experts of gpt-oss.

use super::case::{Case, Fill, Operand};
use super::elementwise;
use super::{Attrs, Inputs, Op, Outs, Tolerance};
use crate::{DType, Desc, OpError, Sym};

/// `out = x sigmoid(alpha x) (y + 1)` with `x = min(gate, limit)` and `y = max(-limit, min(up, limit))` (OpenAI,
/// "gpt-oss-120b & gpt-oss-20b Model Card", 2025): a SwiGLU whose values stay bounded. `alpha x`, the sigmoid, its product
/// with x and `y + 1` are rounded one by one.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `gate` | `[.., D]` | f32 |
/// | `up` | as `gate` | f32 |
/// | out | as `gate` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct ClampedSwiglu {
    /// The factor in the sigmoid: finite.
    pub alpha: f32,
    /// The bound of the values: finite, positive.
    pub limit: f32,
}

impl Op for ClampedSwiglu {
    const NAME: &'static str = "clamped_swiglu";
    const INPUTS: &'static [&'static str] = &["gate", "up"];
    // A sigmoid's relative error is that of its argument times the argument, which is above -88 where it is not 0.
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-35, relative: 6e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        inputs.want_attribute(self.alpha.is_finite(), "alpha", "a finite number", self.alpha)?;
        let positive = self.limit.is_finite() && self.limit > 0.0;
        inputs.want_attribute(positive, "limit", "a finite positive number", self.limit)?;
        elementwise::infer_alike(inputs, 2)
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().float("alpha", self.alpha.into()).float("limit", self.limit.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        elementwise::overwrites(2)
    }

    fn cases() -> Vec<Case<Self>> {
        let rows = || Operand::tensor(Desc::rows(DType::F32, Sym::T, 40), Fill::Normal(4.0));
        let case = |(kind, alpha, limit): (&str, f32, f32)| {
            Case::new(format!("{kind}-t3-d40"), ClampedSwiglu { alpha, limit }, 3, vec![rows(), rows()])
        };
        let others = [("published", 1.702, 7.0), ("tight", 1.702, 0.5), ("minus", -1.0, 3.0), ("flat", 0.0, 2.0)];
        let mut cases = elementwise::cases_alike(ClampedSwiglu { alpha: 1.702, limit: 2.5 }, 2);
        cases.extend(others.map(case));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        elementwise::benches_alike(ClampedSwiglu { alpha: 1.702, limit: 7.0 }, 2)
    }
}
