//! Matrix product with a transposed weight in blocks.

use vt_core::op::MatmulBtQuant;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `a` times the transpose of `b`, both in blocks: `[T, K] x [N, K] -> [T, N]` ([`MatmulBtQuant`]). Models call
/// [`matmul_bt`](crate::matmul_bt), which comes here where the weight is in blocks.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn matmul_bt_quant(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    call(g, MatmulBtQuant, &[a, b])
}
