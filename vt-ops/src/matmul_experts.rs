//! Matrix products with the weights of experts, and the routing on the weights' type.

use vt_core::op::MatmulExperts;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;
use crate::quantize;

/// Each row of `x` times the transposed weights of its experts: `[T, D]` or `[T, K, D]`, `w` `[E, N, D]`, `experts`
/// `[T, K]` to `[T, K, N]`, or the part of N that `op` says ([`MatmulExperts`]).
///
/// Beside weights in blocks `x` is quantized to the blocks that go with them; products with the same `x` share its
/// quantization.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn matmul_experts(
    g: &dyn Recorder,
    op: MatmulExperts,
    x: &Value,
    w: &Value,
    experts: &Value,
) -> Result<Value, OpError> {
    match w.dtype().and_then(|d| d.activation()) {
        Some(blocks) => call(g, op, &[&quantize(g, x, blocks)?, w, experts]),
        None => call(g, op, &[x, w, experts]),
    }
}
