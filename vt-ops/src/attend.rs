//! Attention over the key/value rows of a sequence.

use vt_core::op::Attend;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// Causal attention of the queries `q` over `cache`, which holds their own keys and values already ([`Attend`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn attend(
    g: &dyn Recorder,
    op: Attend,
    q: &Value,
    cache: &Value,
    [sequences, positions]: [&Value; 2],
    sinks: Option<&Value>,
) -> Result<Value, OpError> {
    match sinks {
        Some(sinks) => call(g, op, &[q, cache, sequences, positions, sinks]),
        None => call(g, op, &[q, cache, sequences, positions]),
    }
}
