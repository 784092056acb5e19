//! Decoding to f32.

use vt_core::op::Dequantize;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// What the blocks, f16 or bf16 of `x` stand for ([`Dequantize`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn dequantize(g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
    call(g, Dequantize, &[x])
}
