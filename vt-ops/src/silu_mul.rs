//! The gate of a SwiGLU feed-forward layer, its decomposition and its fusion.

use vt_core::op::{Silu, SiluMul};
use vt_core::registry::Builder;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;
use crate::gated;

/// `silu(gate) * up` ([`SiluMul`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn silu_mul(g: &dyn Recorder, gate: &Value, up: &Value) -> Result<Value, OpError> {
    call(g, SiluMul, &[gate, up])
}

pub(crate) fn register(builder: &mut Builder) {
    gated::register::<Silu, SiluMul>(builder);
}
