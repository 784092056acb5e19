//! The gated delta rule.

use vt_core::op::DeltaRule;
use vt_core::{OpError, Recorder, Value};

use crate::call::advance;

/// What the queries read of `state`, each after its own key and value were written there ([`DeltaRule`]): `[q, k, v]`,
/// and `[decay, beta]` of each value head.
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn delta_rule(
    g: &dyn Recorder,
    op: DeltaRule,
    [q, k, v]: [&Value; 3],
    [decay, beta]: [&Value; 2],
    state: &Value,
    sequences: &Value,
) -> Result<Value, OpError> {
    advance(g, op, &[q, k, v, decay, beta, state, sequences])
}
