//! What every op function does.

use std::panic::Location;
use std::sync::Arc;

use vt_core::op::Op;
use vt_core::{OpError, Recorder, Value};

/// Records an op with one output at the place of the caller's caller.
#[track_caller]
pub(crate) fn call(g: &dyn Recorder, op: impl Op, inputs: &[&Value]) -> Result<Value, OpError> {
    g.record_one(Arc::new(op), inputs, Location::caller())
}
