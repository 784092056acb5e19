//! Fusion: one op for several.

use std::collections::BTreeMap;

use super::graph::{Fused, Graph, NodeId};
use super::inner::NodeKind;
use super::passes::drop_dead;
use crate::PlanError;
use crate::op::{ArcOp, Outs, ValueType};
use crate::registry::Registry;

/// How often each fusion was applied, and how often it was found but left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionCounts {
    /// Applied.
    pub fused: BTreeMap<&'static str, usize>,
    /// Found, but switched off or without a kernel.
    pub unfused: BTreeMap<&'static str, usize>,
}

/// Replaces what fusions find, where `usable` has a kernel for the fused op.
pub(crate) fn fuse(
    graph: &Graph,
    registry: &Registry,
    enabled: bool,
    usable: impl Fn(&ArcOp, &[ValueType], &[ValueType]) -> bool,
) -> Result<FusionCounts, PlanError> {
    let mut counts = FusionCounts::default();
    for fusion in registry.fusions() {
        let nodes = graph.borrow().ops_in_order();
        for node in nodes {
            let Some(fused) = (fusion.pattern)(graph, node) else { continue };
            let (types, outs) = types_of(graph, node, fusion.name, &fused)?;
            let apply = enabled && usable(&fused.op, &types, &outs);
            let tally = if apply { &mut counts.fused } else { &mut counts.unfused };
            *tally.entry(fusion.name).or_default() += 1;
            if apply {
                put(graph, node, fused);
                drop_dead(graph);
            }
        }
    }
    Ok(counts)
}

/// The types of a fused op's inputs and outputs; the latter must be those of the node it replaces.
fn types_of(graph: &Graph, node: NodeId, name: &str, fused: &Fused) -> Result<(Vec<ValueType>, Outs), PlanError> {
    let broken = |error: String| PlanError::Decompose { op: fused.op.name(), error: format!("{name}: {error}") };
    let types: Option<Vec<ValueType>> = fused.inputs.iter().map(|p| graph.port_type(*p)).collect();
    let types = types.ok_or_else(|| broken("an input is not in the graph".to_owned()))?;
    let outs = fused.op.infer(&types.iter().collect::<Vec<_>>()).map_err(|e| broken(e.to_string()))?;
    let same = graph.borrow().dag.node_weight(node).is_some_and(|n| n.outs == outs);
    if same { Ok((types, outs)) } else { Err(broken("it changes the outputs".to_owned())) }
}

/// Makes `node` compute the fused op.
fn put(graph: &Graph, node: NodeId, fused: Fused) {
    let mut inner = graph.borrow_mut();
    inner.disconnect(node);
    inner.connect(node, &fused.inputs);
    if let NodeKind::Op { op, .. } = &mut inner.dag[node].kind {
        *op = fused.op;
    }
}
