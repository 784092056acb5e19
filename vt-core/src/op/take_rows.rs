//! Picking rows.

use super::case::{Case, Fill, Operand};
use super::{Cost, Inputs, Op, Outs, Tolerance, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[r] = x[rows[r]]`: the rows whose logits are wanted.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, D]` | f32 |
/// | `rows` | `[R]`, each in `0..T` | i32 |
/// | out | `[R, D]` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct TakeRows;

impl Op for TakeRows {
    const NAME: &'static str = "take_rows";
    const INPUTS: &'static [&'static str] = &["x", "rows"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (_, cols) = inputs.matrix(0, DType::F32)?;
        let [rows] = inputs.dims(1, DType::I32)?;
        one(Desc::new(DType::F32, [rows, Dim::Fixed(cols)]))
    }

    /// The rows that are picked, read and written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        Cost { bytes: 2 * work.output_bytes(0) + work.input_bytes(1), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 0, 4),
            (1, 0, 4),
            (1, 1, 1),
            (1, 1, 64),
            (1, 3, 5),
            (2, 1, 16),
            (5, 5, 33),
            (8, 3, 48),
            (17, 1, 40),
            (17, 17, 7),
            (17, 20, 12),
            (33, 2, 128),
        ];
        shapes.into_iter().map(|(t, r, d)| case(t, r, d)).collect()
    }
}

fn case(t: usize, r: usize, d: usize) -> Case<TakeRows> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, d), Fill::Normal(1.0));
    let rows = Operand::tensor(Desc::new(DType::I32, [Sym::R]), Fill::Ids(t));
    Case::new(format!("t{t}-r{r}-d{d}"), TakeRows, t, vec![x, rows]).with_r(r)
}
