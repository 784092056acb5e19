//! A matrix product for each head, with weights in blocks.

use super::case::{Case, Fill, Operand};
use super::matmul_heads::{heads_cost, heads_product};
use super::{Arithmetic, Cost, Inputs, Op, Outs, Tolerance, Workload};
use crate::{DType, Desc, OpError, Sym};

/// `out[t, h, n] = sum over k of a[t, h, k] * b[h, n, k]`, both in blocks.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[T, H * K]` | the activation block of `b`'s type |
/// | `b` | `[H, N, K]` | a weight block |
/// | out | `[T, H * N]` | f32 |
///
/// Blocks are added as [`MatmulBtQuant`](super::MatmulBtQuant) adds them.
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulHeadsQuant;

impl Op for MatmulHeadsQuant {
    const NAME: &'static str = "matmul_heads_quant";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-10);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let weight = inputs.tensor(1)?.dtype;
        match weight.activation() {
            Some(activation) => heads_product(inputs, activation, weight),
            None => Err(inputs.want(false, 1, || "a weight block type").unwrap_err()),
        }
    }

    fn cost(&self, work: &Workload<'_>) -> Cost {
        heads_cost(work, Arithmetic::Bytes)
    }

    fn cases() -> Vec<Case<Self>> {
        let each = DType::weight_blocks().map(|dtype| case(dtype, 3, (2, 17, dtype.block_elems())));
        // So many rows that tiers may have other roads for them.
        let many = DType::weight_blocks().map(|dtype| match dtype.block_elems() {
            32 => case(dtype, 65, (2, 18, 32)),
            block => case(dtype, 17, (2, 18, block)),
        });
        let shapes = [
            (DType::Q8_0, 0, (2, 5, 32)),
            (DType::Q8_0, 1, (4, 16, 64)),
            (DType::Q4_0, 17, (3, 33, 32)),
            (DType::Q4K, 1, (1, 19, 512)),
            (DType::Q8_0, 2, (2, 3, 0)),
        ];
        each.chain(many).chain(shapes.map(|(dtype, t, sizes)| case(dtype, t, sizes))).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        let types = [DType::Q4_0, DType::Q8_0];
        types.into_iter().flat_map(|dtype| [1, 512].map(|t| case(dtype, t, (16, 512, 128)))).collect()
    }
}

fn case(dtype: DType, t: usize, (h, n, k): (usize, usize, usize)) -> Case<MatmulHeadsQuant> {
    let activation = dtype.activation().unwrap_or(dtype);
    let a = Operand::tensor(Desc::rows(activation, Sym::T, h * k), Fill::Normal(1.0));
    let b = Operand::tensor(Desc::new(dtype, [h, n, k]), Fill::Normal(1.0));
    Case::new(format!("{dtype}-t{t}-h{h}-n{n}-k{k}"), MatmulHeadsQuant, t, vec![a, b])
}
