//! Multiplication, element by element.

use vt_core::op::Mul;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `a * b` ([`Mul`]): `b` has `a`'s shape, or is one row that multiplies every row of `a`.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn mul(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    call(g, Mul, &[a, b])
}
