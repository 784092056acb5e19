//! A matrix product for each head, with weights in blocks.

use vt_core::op::MatmulHeadsQuant;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Each head of `a` times the transpose of its matrix in `b`, both in blocks ([`MatmulHeadsQuant`]). Models call
/// [`matmul_heads`](crate::matmul_heads), which comes here where the weight is in blocks.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn matmul_heads_quant(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    call(g, MatmulHeadsQuant, &[a, b])
}
