//! Normalization to length 1.

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError, Sym};

/// `out = x / max(sqrt(sum(x^2)), eps)`, over each group of `group` elements of a row.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, G * group]` | f32 |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct L2Norm {
    /// Elements of a group: a head.
    pub group: usize,
    /// The least length that is divided by: finite, positive.
    pub eps: f32,
}

impl Op for L2Norm {
    const NAME: &'static str = "l2_norm";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 2e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        inputs.want_attribute(self.eps.is_finite() && self.eps > 0.0, "eps", "a finite positive number", self.eps)?;
        inputs.want_attribute(self.group > 0, "group", "a positive number", self.group)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs.want(cols.is_multiple_of(self.group), 0, || format!("rows of groups of {}", self.group))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().int("group", self.group).float("eps", self.eps.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 1, 8),
            (1, 1, 1),
            (1, 1, 16),
            (1, 2, 64),
            (2, 3, 33),
            (3, 0, 7),
            (5, 1, 256),
            (17, 3, 16),
            (17, 2, 10),
        ];
        let mut cases: Vec<_> = shapes.into_iter().map(|s| case(s, Fill::Normal(2.0), 1e-6, "")).collect();
        cases.push(case((2, 2, 40), Fill::Zero, 1e-6, "zero-"));
        cases.push(case((3, 2, 32), Fill::Normal(1e-5), 1e-4, "short-"));
        cases.push(case((4, 1, 128), Fill::Normal(1e-3), 1e-5, "small-"));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 16, 128), Fill::Normal(1.0), 1e-6, "")).to_vec()
    }
}

fn case((t, groups, group): (usize, usize, usize), fill: Fill, eps: f32, kind: &str) -> Case<L2Norm> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, groups * group), fill);
    Case::new(format!("{kind}t{t}-g{groups}-d{group}"), L2Norm { group, eps }, t, vec![x])
}
