//! The SiLU activation.

use vt_core::op::Silu;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `x / (1 + exp(-x))` ([`Silu`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn silu(g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
    call(g, Silu, &[x])
}
