//! Decomposition: several ops for one that a device cannot compute.

use std::panic::Location;

use super::Value;
use super::graph::{Graph, NodeId, Port};
use super::inner::NodeKind;
use crate::PlanError;
use crate::op::ArcOp;
use crate::registry::Registry;

/// How often the parts of a decomposed op may be decomposed again: more means that they are made of each other.
const DEEPEST: usize = 16;

/// Replaces the ops that `wanted` picks by their decompositions, as far as they have one, until it picks no more.
pub(crate) fn decompose(
    graph: &Graph,
    registry: &Registry,
    wanted: impl Fn(&Graph, NodeId) -> bool,
) -> Result<(), PlanError> {
    let mut nodes = graph.borrow().ops_in_order();
    for _ in 0..DEEPEST {
        let mut made = Vec::new();
        for node in nodes {
            if wanted(graph, node) {
                made.extend(replace(graph, registry, node)?);
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        nodes = made;
    }
    match nodes.iter().find(|n| wanted(graph, **n)) {
        Some(node) => Err(broken(graph.borrow().op_name(*node), "it is made of itself")),
        None => Ok(()),
    }
}

/// Replaces a node by its decomposition, if it has one. The new nodes.
fn replace(graph: &Graph, registry: &Registry, node: NodeId) -> Result<Vec<NodeId>, PlanError> {
    let Some((op, at)) = op_of(graph, node) else { return Ok(Vec::new()) };
    let Some(make) = registry.decomposition(&*op) else { return Ok(Vec::new()) };
    let inputs = detach(graph, node);
    let values: Vec<Value> = inputs.iter().filter_map(|p| graph.value(*p)).collect();
    let before = graph.borrow().recorded;
    let made = make(&*op, graph, &values.iter().collect::<Vec<_>>());
    let made = made.map_err(|e| broken(op.name(), &e.at(at).to_string()))?;
    let ports: Option<Vec<Port>> = made.iter().map(|v| graph.port(v)).collect();
    let alike = made.iter().map(Value::ty).eq(graph.borrow().dag[node].outs.iter());
    let ports = ports.filter(|_| alike).ok_or_else(|| broken(op.name(), "its outputs are not those of the op"))?;
    Ok(put(graph, node, &ports, before))
}

/// Takes a node from its inputs, so that the ops that replace it may advance its state. The inputs.
fn detach(graph: &Graph, node: NodeId) -> Vec<Port> {
    let mut inner = graph.borrow_mut();
    let inputs = inner.inputs(node);
    inner.disconnect(node);
    inputs
}

fn op_of(graph: &Graph, node: NodeId) -> Option<(ArcOp, &'static Location<'static>)> {
    match &graph.borrow().dag.node_weight(node)?.kind {
        NodeKind::Op { op, at } => Some((op.clone(), *at)),
        _ => None,
    }
}

/// Puts `ports` in the place of a node's outputs, and what was recorded after `before` in its place in the order.
fn put(graph: &Graph, node: NodeId, ports: &[Port], before: usize) -> Vec<NodeId> {
    let mut inner = graph.borrow_mut();
    for (output, port) in ports.iter().enumerate() {
        inner.replace(Port { node, output }, *port);
    }
    let order = inner.dag[node].order;
    inner.dag.remove_node(node);
    let mut new: Vec<NodeId> = inner.dag.node_indices().filter(|n| inner.dag[*n].order > before).collect();
    new.sort_by_key(|n| inner.dag[*n].order);
    new.iter().for_each(|n| inner.dag[*n].order = order);
    new.retain(|n| matches!(inner.dag[*n].kind, NodeKind::Op { .. }));
    new
}

fn broken(op: &'static str, error: &str) -> PlanError {
    PlanError::Decompose { op, error: error.to_owned() }
}
