//! The sum of what experts give.

use vt_core::op::WeightedSum;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// The sum over k of `weights[t, k] * x[t, k]`: `[T, K, D]` and `[T, K]` to `[T, D]` ([`WeightedSum`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn weighted_sum(g: &dyn Recorder, x: &Value, weights: &Value) -> Result<Value, OpError> {
    call(g, WeightedSum, &[x, weights])
}
