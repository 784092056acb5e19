//! The sum of what experts give.

use super::case::{Case, Fill, Operand};
use super::{Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t] = sum over k of weights[t, k] * x[t, k]`, k ascending, each product added by fused multiply-add, from +0.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, K, D]` | f32 |
/// | `weights` | `[T, K]` | f32 |
/// | out | `[T, D]` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedSum;

impl Op for WeightedSum {
    const NAME: &'static str = "weighted_sum";
    const INPUTS: &'static [&'static str] = &["x", "weights"];
    /// Sums may cancel: elements are of the order of 1.
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-5, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let [t, k @ Dim::Fixed(_), d @ Dim::Fixed(_)] = inputs.dims(0, DType::F32)? else {
            return Err(inputs.want(false, 0, || "f32 [T, K, D]").unwrap_err());
        };
        let fits = inputs.dims(1, DType::F32)? == [t, k];
        inputs.want(fits, 1, || format!("f32 [{t}, {k}]"))?;
        one(Desc::new(DType::F32, [t, d]))
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 2, 5),
            (1, 1, 1),
            (1, 8, 64),
            (1, 2, 67),
            (2, 3, 16),
            (3, 0, 4),
            (3, 4, 0),
            (5, 2, 130),
            (17, 2, 33),
            (17, 8, 20),
            (33, 1, 7),
        ];
        let mut cases: Vec<_> = shapes.into_iter().map(|shape| case(shape, Fill::Normal(1.0), "")).collect();
        cases.push(case((3, 3, 40), Fill::NonFinite, "nonfinite-"));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 8, 2048), Fill::Normal(1.0), "")).to_vec()
    }
}

fn case((t, k, d): (usize, usize, usize), fill: Fill, kind: &str) -> Case<WeightedSum> {
    let x = Operand::tensor(Desc::new(DType::F32, [Dim::Sym(Sym::T), k.into(), d.into()]), fill);
    let weights = Operand::tensor(Desc::rows(DType::F32, Sym::T, k), Fill::Normal(0.5));
    Case::new(format!("{kind}t{t}-k{k}-d{d}"), WeightedSum, t, vec![x, weights])
}
