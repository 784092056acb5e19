//! A short convolution over the rows of a sequence.

use vt_core::op::CausalConv;
use vt_core::{OpError, Recorder, Value};

use crate::call::advance;

/// The SiLU of the convolution of each channel with the rows before it, which `state` holds from pass to pass
/// ([`CausalConv`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn causal_conv(
    g: &dyn Recorder,
    x: &Value,
    weight: &Value,
    state: &Value,
    sequences: &Value,
) -> Result<Value, OpError> {
    advance(g, CausalConv, &[x, weight, state, sequences])
}
