//! The gate of a GeGLU feed-forward layer, quantized; its decomposition and its fusion.

use vt_core::op::{GeluMul, Quantized};
use vt_core::registry::Builder;
use vt_core::{DType, OpError, Recorder, Value};

use crate::call::call;
use crate::quantized;

/// `gelu(gate) * up` in the activation blocks `to` ([`GeluMulQuantize`](vt_core::op::GeluMulQuantize)).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn gelu_mul_quantize(g: &dyn Recorder, gate: &Value, up: &Value, to: DType) -> Result<Value, OpError> {
    call(g, Quantized { of: GeluMul, to }, &[gate, up])
}

pub(crate) fn register(builder: &mut Builder) {
    quantized::register::<GeluMul>(builder);
}
