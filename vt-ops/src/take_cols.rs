//! Picking columns.

use vt_core::op::TakeCols;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Some neighbouring columns of each group of columns ([`TakeCols`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn take_cols(g: &dyn Recorder, op: TakeCols, x: &Value) -> Result<Value, OpError> {
    call(g, op, &[x])
}
