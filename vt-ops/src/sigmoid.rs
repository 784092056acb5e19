//! The logistic function.

use vt_core::op::Sigmoid;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `1 / (1 + exp(-x))` ([`Sigmoid`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn sigmoid(g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
    call(g, Sigmoid, &[x])
}
