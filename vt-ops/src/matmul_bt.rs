//! Matrix product with a transposed weight, and the routing on the weight's type.

use vt_core::op::MatmulBt;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;
use crate::{matmul_bt_quant, quantize};

/// `a` times the transpose of `b`: `[T, K] x [N, K] -> [T, N]`.
///
/// A float weight is multiplied as it is ([`MatmulBt`]). Beside a weight in blocks the activations are quantized to the
/// blocks that go with it, and both are multiplied in blocks ([`MatmulBtQuant`](vt_core::op::MatmulBtQuant)); products
/// with the same `a` share its quantization. This is the only place that decides between the two.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn matmul_bt(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    match b.dtype().and_then(|d| d.activation()) {
        Some(blocks) => matmul_bt_quant(g, &quantize(g, a, blocks)?, b),
        None => call(g, MatmulBt, &[a, b]),
    }
}
