//! Writing keys and values to the cache.

use vt_core::op::KvAppend;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// The next version of `cache`, with the rows' keys and values written at their positions ([`KvAppend`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn kv_append(
    g: &dyn Recorder,
    cache: &Value,
    keys: &Value,
    values: &Value,
    sequences: &Value,
    positions: &Value,
) -> Result<Value, OpError> {
    call(g, KvAppend, &[cache, keys, values, sequences, positions])
}
