//! The gate of a SwiGLU feed-forward layer, quantized; its decomposition and its fusion.

use vt_core::op::{Quantized, SiluMul};
use vt_core::registry::Builder;
use vt_core::{DType, OpError, Recorder, Value};

use crate::call::call;
use crate::quantized;

/// `silu(gate) * up` in the activation blocks `to` ([`SiluMulQuantize`](vt_core::op::SiluMulQuantize)).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn silu_mul_quantize(g: &dyn Recorder, gate: &Value, up: &Value, to: DType) -> Result<Value, OpError> {
    call(g, Quantized { of: SiluMul, to }, &[gate, up])
}

pub(crate) fn register(builder: &mut Builder) {
    quantized::register::<SiluMul>(builder);
}
