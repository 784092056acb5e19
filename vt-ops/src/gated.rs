//! Gated activations: an activation of the gate, times what it lets through.

use std::sync::Arc;

use vt_core::graph::{Fused, NodeId};
use vt_core::op::{Mul, Op};
use vt_core::registry::Builder;
use vt_core::{Graph, OpError, Recorder, Value};

use crate::call::call;
use crate::mul;

/// Registers that `G` is `mul(A(gate), up)`: its decomposition, and its fusion under its own name.
pub(crate) fn register<A: Op + Default, G: Op + Default>(builder: &mut Builder) {
    builder.decompose::<G>(|_, g, inputs| decompose::<A>(g, inputs));
    builder.fuse(G::NAME, pattern::<A, G>);
}

fn decompose<A: Op + Default>(g: &dyn Recorder, inputs: &[&Value]) -> Result<Vec<Value>, OpError> {
    match inputs {
        [gate, up] => Ok(vec![mul(g, &call(g, A::default(), &[gate])?, up)?]),
        _ => Ok(Vec::new()),
    }
}

/// A product whose first factor is an activation that nothing else uses.
fn pattern<A: Op, G: Op + Default>(graph: &Graph, node: NodeId) -> Option<Fused> {
    let (_, factors) = graph.op::<Mul>(node)?;
    let [gate, up] = factors.try_into().ok()?;
    if graph.port_type(gate)? != graph.port_type(up)? {
        return None;
    }
    let (_, x) = graph.sole::<A>(gate)?;
    Some(Fused { op: Arc::new(G::default()), inputs: x.into_iter().chain([up]).collect() })
}
