//! How much of a recurrent state is kept.

use vt_core::op::Decay;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `exp(a * softplus(alpha + dt))` ([`Decay`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn decay(g: &dyn Recorder, alpha: &Value, dt: &Value, a: &Value) -> Result<Value, OpError> {
    call(g, Decay, &[alpha, dt, a])
}
