//! Matrix product with a transposed float weight.

use super::case::{Case, Fill, Operand};
use super::{Arithmetic, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t, n] = sum over k of a[t, k] * b[n, k]`.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[T, K]` | f32 |
/// | `b` | `[N, K]` | f32, f16 or bf16 |
/// | out | `[T, N]` | f32 |
///
/// The sum is taken in sixteen partial sums by `k mod 16`, each by fused multiply-add in ascending k, and those are
/// added pairwise. Beside bf16 weights the activations are rounded to bf16 and pairs of products are added as the
/// bf16 dot-product instruction adds them. Weights in blocks go to [`MatmulBtQuant`](super::MatmulBtQuant).
#[derive(Clone, Debug, PartialEq)]
pub struct MatmulBt;

impl Op for MatmulBt {
    const NAME: &'static str = "matmul_bt";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(2e-5);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, k) = inputs.matrix(0, DType::F32)?;
        let b = inputs.tensor(1)?;
        inputs.want(matches!(b.dtype, DType::F32 | DType::F16 | DType::BF16), 1, || "f32, f16 or bf16")?;
        let [n, kb] = inputs.dims(1, b.dtype)?;
        let fits = kb == Dim::Fixed(k) && matches!(n, Dim::Fixed(_));
        inputs.want(fits, 1, || format!("[N, K] with K = {k}"))?;
        one(Desc::new(DType::F32, [rows, n]))
    }

    fn cost(&self, work: &Workload<'_>) -> Cost {
        let weight = work.inputs.get(1).and_then(ValueType::tensor).map(|desc| desc.dtype);
        work.product(if weight == Some(DType::BF16) { Arithmetic::Bf16 } else { Arithmetic::Floats })
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes =
            [(0, 3, 8), (1, 1, 1), (1, 17, 64), (2, 5, 33), (3, 0, 16), (5, 7, 0), (17, 19, 48), (33, 34, 100)];
        let types = [DType::F32, DType::F16, DType::BF16];
        types.into_iter().flat_map(|dtype| shapes.map(|(t, n, k)| case(dtype, t, n, k))).collect()
    }

    fn benches() -> Vec<Case<Self>> {
        let types = [DType::F32, DType::F16, DType::BF16];
        types.into_iter().flat_map(|dtype| [1, 512].map(|t| case(dtype, t, 4096, 4096))).collect()
    }
}

fn case(dtype: DType, t: usize, n: usize, k: usize) -> Case<MatmulBt> {
    let a = Operand::tensor(Desc::rows(DType::F32, Sym::T, k), Fill::Normal(1.0));
    let b = Operand::tensor(Desc::new(dtype, [n, k]), Fill::Normal(1.0));
    Case::new(format!("{dtype}-t{t}-n{n}-k{k}"), MatmulBt, t, vec![a, b])
}
