//! Addition.

use vt_core::op::Add;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `a + b` ([`Add`]): `b` has `a`'s shape, or is one row that is added to every row of `a`.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn add(g: &dyn Recorder, a: &Value, b: &Value) -> Result<Value, OpError> {
    call(g, Add, &[a, b])
}
