//! Embedding lookup.

use vt_core::op::Embed;
use vt_core::{OpError, Recorder, Value};

use crate::call::call;

/// The rows `ids` of `table`, decoded to f32 ([`Embed`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn embed(g: &dyn Recorder, ids: &Value, table: &Value) -> Result<Value, OpError> {
    call(g, Embed, &[ids, table])
}
