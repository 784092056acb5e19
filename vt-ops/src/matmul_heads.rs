//! A matrix product for each head, and the routing on the weight's type.

use vt_core::op::MatmulHeads;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;
use crate::{matmul_heads_quant, quantize};

/// Each head of `a` times the transpose of its matrix in `b`: `[T, H * K] x [H, N, K] -> [T, H * N]`.
///
/// A float weight is multiplied as it is ([`MatmulHeads`]); beside a weight in blocks the activations are quantized, as
/// [`matmul_bt`](crate::matmul_bt) does ([`MatmulHeadsQuant`](vt_core::op::MatmulHeadsQuant)).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn matmul_heads(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    match b.dtype().and_then(|d| d.activation()) {
        Some(blocks) => matmul_heads_quant(g, &quantize(g, a, blocks)?, b),
        None => call(g, MatmulHeads, &[a, b]),
    }
}
