//! Normalization to length 1.

use vt_core::op::L2Norm;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Each `group` of elements over its length, which is taken to be `eps` at least ([`L2Norm`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn l2_norm(g: &dyn Recorder, x: &Value, group: usize, eps: f32) -> Result<Value, OpError> {
    call(g, L2Norm { group, eps }, &[x])
}
