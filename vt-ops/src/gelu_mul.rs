//! The gate of a GeGLU feed-forward layer, its decomposition and its fusion.

use vt_core::op::{Gelu, GeluMul};
use vt_core::registry::Builder;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;
use crate::gated;

/// `gelu(gate) * up` ([`GeluMul`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn gelu_mul(g: &dyn Recorder, gate: &Value, up: &Value) -> Result<Value, OpError> {
    call(g, GeluMul, &[gate, up])
}

pub(crate) fn register(builder: &mut Builder) {
    gated::register::<Gelu, GeluMul>(builder);
}
