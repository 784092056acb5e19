//! A bound of numbers that keeps small ones as they are.

use vt_core::op::Softcap;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `cap * tanh(x / cap)` ([`Softcap`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn softcap(g: &dyn Recorder, x: &Value, cap: f32) -> Result<Value, OpError> {
    call(g, Softcap { cap }, &[x])
}
