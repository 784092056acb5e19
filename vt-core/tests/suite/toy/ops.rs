//! An op that no crate but this test knows.

use vt_core::op::{Case, Inputs, Op, Outs, Tolerance, ValueType};
use vt_core::{DType, Desc, OpError, StateSpec};

/// `out[t] = x[t] + what the sequence's earlier rows sum to`: the sum is the sequence's state, `[H, D]` for rows of
/// `H * D`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunningSum;

impl Op for RunningSum {
    const NAME: &'static str = "running_sum";
    const INPUTS: &'static [&'static str] = &["x", "state", "sequences"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        let &StateSpec::Fixed { rows: h, cols: d } = inputs.state(1)? else {
            return Err(inputs.want(false, 1, || "fixed state").unwrap_err());
        };
        inputs.want(h * d == cols, 1, || format!("fixed state of {cols} numbers"))?;
        let [n] = inputs.dims(2, DType::I32)?;
        inputs.want(n == rows, 2, || format!("i32 [{rows}]"))?;
        let out = ValueType::Tensor(Desc::rows(DType::F32, rows, cols));
        Ok([out, ValueType::State(StateSpec::Fixed { rows: h, cols: d })].into_iter().collect())
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(1, 1)]
    }

    fn cases() -> Vec<Case<Self>> {
        Vec::new()
    }
}
