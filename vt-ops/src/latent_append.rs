//! Writing rows to the cache of latent attention.

use vt_core::op::LatentAppend;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// The next version of `cache`, with `rows` written at their positions ([`LatentAppend`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn latent_append(
    g: &dyn Recorder,
    cache: &Value,
    rows: &Value,
    sequences: &Value,
    positions: &Value,
) -> Result<Value, OpError> {
    call(g, LatentAppend, &[cache, rows, sequences, positions])
}
