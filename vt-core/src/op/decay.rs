//! How much of a recurrent state is kept.

use super::case::{Case, Fill, Operand};
use super::{Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out = exp(a * softplus(alpha + dt))` with `softplus(x) = ln(1 + exp(x))`: the part of each head's state that a token
/// leaves (Gu and Dao, Mamba, 2023), below 1 where `a` is negative.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `alpha` | `[T, H]` | f32 |
/// | `dt` | `[H]` | f32 |
/// | `a` | `[H]` | f32 |
/// | out | `[T, H]` | f32 |
///
/// Sum, softplus and product are each rounded to f32.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decay;

impl Op for Decay {
    const NAME: &'static str = "decay";
    const INPUTS: &'static [&'static str] = &["alpha", "dt", "a"];
    /// An error of the exponent is one of as many parts of the result, which is the smaller the larger that is.
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 5e-7, relative: 2e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, heads) = inputs.matrix(0, DType::F32)?;
        for i in [1, 2] {
            let [n] = inputs.dims(i, DType::F32)?;
            inputs.want(n == Dim::Fixed(heads), i, || format!("f32 [{heads}]"))?;
        }
        one(Desc::rows(DType::F32, rows, heads))
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes =
            [(0, 3), (1, 1), (1, 16), (1, 48), (2, 5), (3, 32), (4, 17), (5, 0), (17, 2), (17, 16), (33, 7), (40, 33)];
        shapes.into_iter().map(|shape| case(shape, 2.0)).chain([case((9, 20), 30.0)]).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case((t, 32), 2.0)).to_vec()
    }
}

fn case((t, heads): (usize, usize), spread: f32) -> Case<Decay> {
    let alpha = Operand::tensor(Desc::rows(DType::F32, Sym::T, heads), Fill::Normal(spread));
    let row = |fill| Operand::tensor(Desc::new(DType::F32, [heads]), fill);
    let inputs = vec![alpha, row(Fill::Normal(1.0)), row(Fill::UpTo(-2.0))];
    Case::new(format!("t{t}-h{heads}-x{spread}"), Decay, t, inputs)
}
