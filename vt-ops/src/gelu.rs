//! The GELU activation.

use vt_core::op::Gelu;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// `0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))` ([`Gelu`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn gelu(g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
    call(g, Gelu, &[x])
}
