//! The gate of the experts of gpt-oss.

use vt_core::op::ClampedSwiglu;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `x sigmoid(alpha x) (y + 1)` of `gate` and `up` within their bounds ([`ClampedSwiglu`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn clamped_swiglu(g: &dyn Recorder, op: ClampedSwiglu, gate: &Value, up: &Value) -> Result<Value, OpError> {
    call(g, op, &[gate, up])
}
