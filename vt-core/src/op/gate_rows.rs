//! The gate of a shared expert.

use super::case::{Case, Fill, Operand};
use super::{Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError, Sym};

/// `out[t] = sigmoid(h[t] . weight) * x[t]`: how much of each row is let through (Qwen Team, "Qwen1.5-MoE", 2024).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, D]` | f32 |
/// | `h` | `[T, C]` | f32 |
/// | `weight` | `[C]` | f32 |
/// | out | `[T, D]` | f32 |
///
/// The dot product is summed as in [`MatmulBt`](super::MatmulBt), its sigmoid rounded before it is multiplied.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRows;

impl Op for GateRows {
    const NAME: &'static str = "gate_rows";
    const INPUTS: &'static [&'static str] = &["x", "h", "weight"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-5, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        let [h_rows, c] = inputs.dims(1, DType::F32)?;
        inputs.want(h_rows == rows, 1, || format!("f32 [{rows}, C]"))?;
        let fits = inputs.dims(2, DType::F32)? == [c];
        inputs.want(fits, 2, || format!("f32 [{c}]"))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 5, 5),
            (1, 1, 1),
            (1, 64, 64),
            (1, 33, 100),
            (2, 16, 7),
            (3, 0, 4),
            (3, 4, 0),
            (5, 130, 48),
            (8, 40, 40),
            (17, 33, 33),
            (17, 20, 65),
            (33, 7, 16),
        ];
        shapes.into_iter().map(case).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 2048, 2048))).to_vec()
    }
}

fn case((t, d, c): (usize, usize, usize)) -> Case<GateRows> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, d), Fill::Normal(1.0));
    let h = Operand::tensor(Desc::rows(DType::F32, Sym::T, c), Fill::Normal(1.0));
    let weight = Operand::tensor(Desc::new(DType::F32, [c]), Fill::Normal(0.2));
    Case::new(format!("t{t}-d{d}-c{c}"), GateRows, t, vec![x, h, weight])
}
