//! Matrix product with a transposed weight in blocks.

use super::case::{Case, Fill, Operand};
use super::{Arithmetic, Cost, Inputs, Op, Outs, Tolerance, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t, n] = sum over k of a[t, k] * b[n, k]`, both in blocks.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[T, K]` | the activation block of `b`'s type |
/// | `b` | `[N, K]` | a weight block |
/// | out | `[T, N]` | f32 |
///
/// Blocks are added in ascending order into one f32 from +0. With I the exact integer sum of a block as f32, `dw` and
/// `da` the scales: `acc = fma(dw * da, I, acc)`; for q2_k, q4_k and q5_k then `acc = fma(-(dmin * da), M, acc)`, M the
/// exact sum of minimum times activation sum; for q4_1 and q5_1 then `acc = fma(m, s, acc)`.
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulBtQuant;

impl Op for MatmulBtQuant {
    const NAME: &'static str = "matmul_bt_quant";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-10);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let b = inputs.tensor(1)?;
        let Some(activation) = b.dtype.activation() else {
            return Err(inputs.want(false, 1, || "a weight block type").unwrap_err());
        };
        let (rows, k) = inputs.matrix(0, activation)?;
        let [n, kb] = inputs.dims(1, b.dtype)?;
        let fits = kb == Dim::Fixed(k) && matches!(n, Dim::Fixed(_)) && b.row_bytes().is_some();
        inputs.want(fits, 1, || format!("[N, K] with K = {k}, a multiple of {}", b.dtype.block_elems()))?;
        one(Desc::new(DType::F32, [rows, n]))
    }

    fn cost(&self, work: &Workload<'_>) -> Cost {
        work.product(Arithmetic::Bytes)
    }

    fn cases() -> Vec<Case<Self>> {
        let mut cases = Vec::new();
        for dtype in DType::weight_blocks() {
            let block = dtype.block_elems();
            for (t, n, blocks) in [(1, 17, 2), (3, 5, 1), (17, 33, 1)] {
                cases.push(case(dtype, t, n, blocks * block));
            }
        }
        // So many rows that tiers may have other roads for them; of long blocks 17 are.
        for dtype in DType::weight_blocks().filter(|dtype| dtype.block_elems() == 32) {
            cases.push(case(dtype, 65, 18, 96));
        }
        for (dtype, t, n, k) in
            [(DType::Q4K, 0, 3, 256), (DType::Q4_1, 2, 0, 32), (DType::Q8_0, 2, 3, 0), (DType::Q6K, 33, 18, 512)]
        {
            cases.push(case(dtype, t, n, k));
        }
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        DType::weight_blocks().flat_map(|dtype| [1, 512].map(|t| case(dtype, t, 4096, 4096))).collect()
    }
}

fn case(dtype: DType, t: usize, n: usize, k: usize) -> Case<MatmulBtQuant> {
    let activation = dtype.activation().unwrap_or(dtype);
    let a = Operand::tensor(Desc::rows(activation, Sym::T, k), Fill::Normal(1.0));
    let b = Operand::tensor(Desc::new(dtype, [n, k]), Fill::Normal(1.0));
    Case::new(format!("{dtype}-t{t}-n{n}-k{k}"), MatmulBtQuant, t, vec![a, b])
}
