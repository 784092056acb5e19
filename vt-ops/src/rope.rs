//! Rotary position embedding.

use vt_core::op::Rope;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `x`, each head rotated by its position ([`Rope`]). `factors` divide the frequencies; ones for none.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn rope(g: &dyn Recorder, op: Rope, x: &Value, positions: &Value, factors: &Value) -> Result<Value, OpError> {
    call(g, op, &[x, positions, factors])
}
