//! The gate of a SwiGLU feed-forward layer, its decomposition and its fusion.

use std::sync::Arc;

use vt_core::graph::{Fused, NodeId};
use vt_core::op::{Mul, Silu, SiluMul};
use vt_core::registry::Builder;
use vt_core::{Graph, OpError, Recorder, Value};

use crate::call::call;
use crate::{mul, silu};

/// `silu(gate) * up` ([`SiluMul`]).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn silu_mul(g: &dyn Recorder, gate: &Value, up: &Value) -> Result<Value, OpError> {
    call(g, SiluMul, &[gate, up])
}

pub(crate) fn register(builder: &mut Builder) {
    builder.decompose::<SiluMul>(|_, g, inputs| match inputs {
        [gate, up] => Ok(vec![mul(g, &silu(g, gate)?, up)?]),
        _ => Ok(Vec::new()),
    });
    builder.fuse("silu_mul", pattern);
}

/// A product whose first factor is a SiLU that nothing else uses.
fn pattern(graph: &Graph, node: NodeId) -> Option<Fused> {
    let (_, factors) = graph.op::<Mul>(node)?;
    let [gate, up] = factors.try_into().ok()?;
    if graph.port_type(gate)? != graph.port_type(up)? {
        return None;
    }
    let (_, x) = graph.sole::<Silu>(gate)?;
    Some(Fused { op: Arc::new(SiluMul), inputs: x.into_iter().chain([up]).collect() })
}
