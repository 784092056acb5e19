//! The biases of experts.

use super::case::{Case, Fill, Operand};
use super::{Cost, Inputs, Op, Outs, Tolerance, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t, k] = x[t, k] + bias[experts[t, k]]`, rounded once.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, K, D]` | f32 |
/// | `bias` | `[E, D]` | f32 |
/// | `experts` | `[T, K]`, each in `0..E` | i32 |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct AddExpertBias;

impl Op for AddExpertBias {
    const NAME: &'static str = "add_expert_bias";
    const INPUTS: &'static [&'static str] = &["x", "bias", "experts"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 0.0, relative: 1e-7 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let [t, k @ Dim::Fixed(_), d @ Dim::Fixed(_)] = inputs.dims(0, DType::F32)? else {
            return Err(inputs.want(false, 0, || "f32 [T, K, D]").unwrap_err());
        };
        let [e, columns] = inputs.dims(1, DType::F32)?;
        inputs.want(matches!(e, Dim::Fixed(_)) && columns == d, 1, || format!("f32 [E, {d}]"))?;
        let fits = inputs.dims(2, DType::I32)? == [t, k];
        inputs.want(fits, 2, || format!("i32 [{t}, {k}]"))?;
        one(Desc::new(DType::F32, [t, k, d]))
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    /// Of the biases, those that are added.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        Cost { bytes: 3 * work.output_bytes(0) + work.input_bytes(2), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 2, 3, 5),
            (1, 1, 1, 1),
            (1, 4, 8, 64),
            (1, 2, 5, 67),
            (2, 3, 4, 16),
            (3, 0, 4, 4),
            (3, 2, 4, 0),
            (5, 2, 3, 40),
            (8, 1, 2, 19),
            (17, 2, 4, 33),
            (17, 1, 6, 20),
            (33, 2, 2, 7),
        ];
        shapes.into_iter().map(case).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 4, 32, 2880))).to_vec()
    }
}

fn case((t, k, e, d): (usize, usize, usize, usize)) -> Case<AddExpertBias> {
    let inputs = vec![
        Operand::tensor(Desc::new(DType::F32, [Dim::Sym(Sym::T), k.into(), d.into()]), Fill::Normal(1.0)),
        Operand::tensor(Desc::new(DType::F32, [e, d]), Fill::Normal(1.0)),
        Operand::tensor(Desc::rows(DType::I32, Sym::T, k), Fill::Ids(e)),
    ];
    Case::new(format!("t{t}-k{k}-e{e}-d{d}"), AddExpertBias, t, inputs)
}
