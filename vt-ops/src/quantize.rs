//! Quantization of activations.

use vt_core::op::Quantize;
use vt_core::{DType, OpError, Recorder, Value};

use crate::call::call;

/// The rows of `x` in the activation blocks `to` ([`Quantize`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn quantize(g: &dyn Recorder, x: &Value, to: DType) -> Result<Value, OpError> {
    call(g, Quantize { to }, &[x])
}
