//! Root-mean-square normalization.

use vt_core::op::RmsNorm;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Each group of as many elements as `weight` has, over the root of its mean square, times `weight` ([`RmsNorm`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn rms_norm(g: &dyn Recorder, x: &Value, weight: &Value, eps: f32) -> Result<Value, OpError> {
    call(g, RmsNorm { eps }, &[x, weight])
}
