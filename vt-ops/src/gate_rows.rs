//! The gate of a shared expert.

use vt_core::op::GateRows;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `sigmoid(h[t] . weight) * x[t]` ([`GateRows`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn gate_rows(g: &dyn Recorder, x: &Value, h: &Value, weight: &Value) -> Result<Value, OpError> {
    call(g, GateRows, &[x, h, weight])
}
