//! Picking rows.

use vt_core::op::TakeRows;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// The rows `rows` of `x` ([`TakeRows`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn take_rows(g: &dyn Recorder, x: &Value, rows: &Value) -> Result<Value, OpError> {
    call(g, TakeRows, &[x, rows])
}
