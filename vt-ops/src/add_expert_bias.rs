//! The biases of experts.

use vt_core::op::AddExpertBias;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `x[t, k] + bias[experts[t, k]]` ([`AddExpertBias`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn add_expert_bias(g: &dyn Recorder, x: &Value, bias: &Value, experts: &Value) -> Result<Value, OpError> {
    call(g, AddExpertBias, &[x, bias, experts])
}
