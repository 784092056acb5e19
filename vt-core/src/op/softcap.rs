//! A bound of numbers that keeps small ones as they are.

use super::case::{Case, Fill, Operand};
use super::elementwise;
use super::{Attrs, Inputs, Op, Outs, Tolerance};
use crate::{DType, Desc, OpError, Sym};

/// `out = cap * tanh(x / cap)` (Bello et al., "Neural Combinatorial Optimization with Reinforcement Learning", 2017).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[.., D]` | f32 |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Softcap {
    /// What no element exceeds: positive, with an inverse.
    pub cap: f32,
}

impl Op for Softcap {
    const NAME: &'static str = "softcap";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-37, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let bound = self.cap > 0.0 && self.cap.is_normal() && (1.0 / self.cap).is_normal();
        inputs.want_attribute(bound, "cap", "a positive number with an inverse", self.cap)?;
        elementwise::infer_alike(inputs, 1)
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().float("cap", self.cap.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        elementwise::overwrites(1)
    }

    fn cases() -> Vec<Case<Self>> {
        let case = |(kind, cap, deviation): (&str, f32, f32)| {
            let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, 45), Fill::Normal(deviation));
            Case::new(format!("{kind}-t3-d45"), Softcap { cap }, 3, vec![x])
        };
        let mut cases = elementwise::cases_alike(Softcap { cap: 30.0 }, 1);
        cases.extend([("low", 0.75, 3.0), ("high", 1e6, 100.0), ("flat", 50.0, 4000.0)].map(case));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        elementwise::benches_alike(Softcap { cap: 30.0 }, 1)
    }
}
