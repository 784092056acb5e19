//! Root-mean-square normalization.

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError, Sym};

/// `out = x / sqrt(mean(x^2) + eps) * weight`, over each group of D elements of a row (Zhang and Sennrich, 2019).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, G * D]` | f32 |
/// | `weight` | `[D]` | f32 |
/// | out | `[T, G * D]` | f32 |
///
/// G is 1 for a layer's norm and the number of heads for a norm per head.
#[derive(Clone, Debug, PartialEq)]
pub struct RmsNorm {
    /// What keeps the root from being zero: finite, not negative.
    pub eps: f32,
}

impl Op for RmsNorm {
    const NAME: &'static str = "rms_norm";
    const INPUTS: &'static [&'static str] = &["x", "weight"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 2e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        inputs.want_attribute(self.eps.is_finite() && self.eps >= 0.0, "eps", "a finite number >= 0", self.eps)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        let [d] = inputs.dims(1, DType::F32)?;
        let divides = matches!(d, crate::Dim::Fixed(d) if d == cols || (d > 0 && cols.is_multiple_of(d)));
        inputs.want(divides, 1, || format!("f32 [D] where D divides {cols}"))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().float("eps", self.eps.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 1, 8),
            (1, 1, 1),
            (1, 1, 16),
            (1, 1, 64),
            (1, 1, 100),
            (2, 1, 33),
            (3, 1, 7),
            (5, 1, 256),
            (17, 1, 48),
            (17, 3, 16),
            (1, 4, 24),
            (2, 2, 65),
        ];
        let mut cases: Vec<_> = shapes.into_iter().map(|s| case(s, Fill::Normal(2.0), 1e-6, "")).collect();
        cases.push(case((2, 1, 40), Fill::Zero, 1e-5, "zero-"));
        cases.push(case((3, 1, 40), Fill::Normal(1e-3), 1e-5, "small-"));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 1, 4096), Fill::Normal(2.0), 1e-6, "")).to_vec()
    }
}

fn case((t, g, d): (usize, usize, usize), fill: Fill, eps: f32, kind: &str) -> Case<RmsNorm> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, g * d), fill);
    let weight = Operand::tensor(Desc::new(DType::F32, [d]), Fill::Normal(1.0));
    Case::new(format!("{kind}t{t}-g{g}-d{d}"), RmsNorm { eps }, t, vec![x, weight])
}
