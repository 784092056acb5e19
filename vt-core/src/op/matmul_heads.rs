//! A matrix product for each head, with float weights.

use super::case::{Case, Fill, Operand};
use super::{Arithmetic, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t, h, n] = sum over k of a[t, h, k] * b[h, n, k]`: each head of a row times the transpose of its own matrix.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[T, H * K]` | f32 |
/// | `b` | `[H, N, K]` | f32, f16 or bf16 |
/// | out | `[T, H * N]` | f32 |
///
/// Sums are taken as [`MatmulBt`](super::MatmulBt) takes them. Weights in blocks go to
/// [`MatmulHeadsQuant`](super::MatmulHeadsQuant).
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulHeads;

impl Op for MatmulHeads {
    const NAME: &'static str = "matmul_heads";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(2e-5);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let b = inputs.tensor(1)?;
        inputs.want(matches!(b.dtype, DType::F32 | DType::F16 | DType::BF16), 1, || "f32, f16 or bf16")?;
        heads_product(inputs, DType::F32, b.dtype)
    }

    fn cost(&self, work: &Workload<'_>) -> Cost {
        let weight = work.inputs.get(1).and_then(ValueType::tensor).map(|desc| desc.dtype);
        let arithmetic = if weight == Some(DType::BF16) { Arithmetic::Bf16 } else { Arithmetic::Floats };
        heads_cost(work, arithmetic)
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [(0, 2, 3, 8), (1, 1, 17, 64), (1, 4, 16, 32), (3, 2, 5, 33), (5, 3, 7, 0), (17, 2, 19, 48)];
        let types = [DType::F32, DType::F16, DType::BF16];
        types.into_iter().flat_map(|dtype| shapes.map(|(t, h, n, k)| case(dtype, t, (h, n, k)))).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        let types = [DType::F32, DType::F16, DType::BF16];
        types.into_iter().flat_map(|dtype| [1, 512].map(|t| case(dtype, t, (16, 512, 128)))).collect()
    }
}

/// The output of heads in `activation` times matrices in `weight`.
pub(super) fn heads_product(inputs: &Inputs<'_>, activation: DType, weight: DType) -> Result<Outs, OpError> {
    let (rows, cols) = inputs.matrix(0, activation)?;
    let [Dim::Fixed(heads), Dim::Fixed(n), Dim::Fixed(k)] = inputs.dims(1, weight)? else {
        return Err(inputs.want(false, 1, || "numbers as dimensions").unwrap_err());
    };
    let whole = inputs.tensor(1)?.row_bytes().is_some();
    inputs.want(whole && heads.checked_mul(k) == Some(cols), 1, || format!("[H, N, K] with H * K = {cols}"))?;
    let cols = heads.checked_mul(n);
    one(Desc::rows(DType::F32, rows, cols.ok_or_else(|| inputs.want(false, 1, || "rows that fit").unwrap_err())?))
}

/// All operands, and a multiplication and an addition for each element of the output and each of a head.
pub(super) fn heads_cost(work: &Workload<'_>, arithmetic: Arithmetic) -> Cost {
    let k = work.inputs.get(1).and_then(ValueType::tensor).map_or(0, |b| b.cols() as u64);
    let elements = work.output_bytes(0) / DType::F32.block_bytes() as u64;
    Cost { operations: 2 * elements.saturating_mul(k), arithmetic, ..work.operands() }
}

fn case(dtype: DType, t: usize, (h, n, k): (usize, usize, usize)) -> Case<MatmulHeads> {
    let a = Operand::tensor(Desc::rows(DType::F32, Sym::T, h * k), Fill::Normal(1.0));
    let b = Operand::tensor(Desc::new(dtype, [h, n, k]), Fill::Normal(1.0));
    Case::new(format!("{dtype}-t{t}-h{h}-n{n}-k{k}"), MatmulHeads, t, vec![a, b])
}
