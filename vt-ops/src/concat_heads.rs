//! Heads side by side.

use vt_core::op::ConcatHeads;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Each of the heads of `a`, followed by that of `b`, or by the one that they share ([`ConcatHeads`]).
///
/// # Errors
/// If the operands have no such heads, or the op cannot be computed.
#[track_caller]
pub fn concat_heads(g: &dyn Recorder, op: ConcatHeads, a: &Value, b: &Value) -> Result<Value, OpError> {
    call(g, op, &[a, b])
}
