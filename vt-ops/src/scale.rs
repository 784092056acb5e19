//! Multiplication by a constant.

use vt_core::op::Scale;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `x * factor` ([`Scale`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn scale(g: &dyn Recorder, x: &Value, factor: f32) -> Result<Value, OpError> {
    call(g, Scale { factor }, &[x])
}
