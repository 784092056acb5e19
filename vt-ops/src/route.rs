//! Choosing experts.

use std::panic::Location;
use std::sync::Arc;

use vt_core::op::Route;
use vt_core::{OpError, Recorder, Value};

/// The experts that each row of `logits` chooses, i32 `[T, K]`, and their weights, f32 `[T, K]` ([`Route`]). `bias` is
/// zeros where the model has none.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn route(g: &dyn Recorder, op: Route, logits: &Value, bias: &Value) -> Result<[Value; 2], OpError> {
    let outputs = g.record(Arc::new(op), &[logits, bias], Location::caller())?;
    outputs.try_into().map_err(|_| OpError::Eager { op: "route", why: "it has not two outputs" })
}
