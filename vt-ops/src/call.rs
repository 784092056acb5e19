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

/// Records an op that gives a tensor and the next version of a state, at the place of the caller's caller: the tensor.
#[track_caller]
pub(crate) fn advance<O: Op>(g: &dyn Recorder, op: O, inputs: &[&Value]) -> Result<Value, OpError> {
    let outputs = g.record(Arc::new(op), inputs, Location::caller())?;
    let why = "it gives no tensor";
    outputs.into_iter().next().ok_or(OpError::Eager { op: O::NAME, why })
}
