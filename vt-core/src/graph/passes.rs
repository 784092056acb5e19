//! Passes: what is done to a graph before it is planned.

use std::collections::BTreeMap;

use petgraph::Direction::Outgoing;
use petgraph::visit::{Dfs, Reversed};

use super::graph::{Graph, Inner, NodeId, NodeKind, Port};
use crate::op::{ArcOp, ValueType};
use crate::registry::Registry;
use crate::{OpError, PlanError};

/// How often each fusion was applied, and how often it was found but left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionCounts {
    /// Applied.
    pub fused: BTreeMap<&'static str, usize>,
    /// Found, but switched off or without a kernel.
    pub unfused: BTreeMap<&'static str, usize>,
}

/// Removes the nodes that no output, and no state that a sequence carries on, depends on.
pub(crate) fn drop_dead(graph: &Graph) {
    let mut inner = graph.borrow_mut();
    let mut live = vec![false; inner.dag.node_indices().map(|n| n.index() + 1).max().unwrap_or(0)];
    for root in roots(&inner) {
        let reversed = Reversed(&inner.dag);
        let mut search = Dfs::new(reversed, root);
        while let Some(node) = search.next(reversed) {
            live[node.index()] = true;
        }
    }
    inner.dag.retain_nodes(|dag, n| live[n.index()] || matches!(dag[n].kind, NodeKind::Input(_) | NodeKind::State(_)));
}

fn roots(inner: &Inner) -> Vec<NodeId> {
    let advances = |n: &NodeId| matches!(&inner.dag[*n].kind, NodeKind::Op { op, .. } if !op.advances().is_empty());
    inner.outputs.iter().map(|p| p.node).chain(inner.dag.node_indices().filter(advances)).collect()
}

/// Computes once what is recorded several times: equal ops of equal inputs.
pub(crate) fn merge_common(graph: &Graph) {
    let mut inner = graph.borrow_mut();
    let mut seen: Vec<(NodeId, Vec<Port>)> = Vec::new();
    for node in inner.ops_in_order() {
        let inputs = inner.inputs(node);
        let NodeKind::Op { op, .. } = &inner.dag[node].kind else { continue };
        if !op.advances().is_empty() {
            continue;
        }
        let twin = seen.iter().rev().find(|(other, ins)| *ins == inputs && same_op(&inner, *other, op));
        match twin.map(|(other, _)| *other) {
            Some(twin) => redirect(&mut inner, node, twin),
            None => seen.push((node, inputs)),
        }
    }
}

fn same_op(inner: &Inner, node: NodeId, op: &ArcOp) -> bool {
    matches!(&inner.dag[node].kind, NodeKind::Op { op: other, .. } if other.same(&**op))
}

fn redirect(inner: &mut Inner, node: NodeId, twin: NodeId) {
    for output in 0..inner.dag[node].outs.len() {
        inner.replace(Port { node, output }, Port { node: twin, output });
    }
    inner.dag.remove_node(node);
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
            let types: Option<Vec<ValueType>> = fused.inputs.iter().map(|p| graph.port_type(*p)).collect();
            let types = types.unwrap_or_default();
            let outs = fused.op.infer(&types.iter().collect::<Vec<_>>()).map_err(|e| broken(&fused.op, &e))?;
            if outs != graph.borrow().dag[node].outs {
                return Err(PlanError::Decompose {
                    op: fused.op.name(),
                    error: format!("{} changes the outputs", fusion.name),
                });
            }
            let apply = enabled && usable(&fused.op, &types, &outs);
            let tally = if apply { &mut counts.fused } else { &mut counts.unfused };
            *tally.entry(fusion.name).or_default() += 1;
            if apply {
                put(graph, node, fused.op, &fused.inputs);
            }
        }
    }
    Ok(counts)
}

/// Makes `node` compute `op` of `inputs`.
fn put(graph: &Graph, node: NodeId, new: ArcOp, inputs: &[Port]) {
    let mut inner = graph.borrow_mut();
    let edges: Vec<_> = inner
        .dag
        .edges_directed(node, petgraph::Direction::Incoming)
        .map(|e| petgraph::visit::EdgeRef::id(&e))
        .collect();
    for edge in edges {
        inner.dag.remove_edge(edge);
    }
    inner.connect(node, inputs);
    if let NodeKind::Op { op, .. } = &mut inner.dag[node].kind {
        *op = new;
    }
    let gone: Vec<NodeId> = inner.ops_in_order().into_iter().filter(|n| unused(&inner, *n)).collect();
    for node in gone {
        inner.dag.remove_node(node);
    }
}

fn unused(inner: &Inner, node: NodeId) -> bool {
    let advances = matches!(&inner.dag[node].kind, NodeKind::Op { op, .. } if !op.advances().is_empty());
    !advances
        && inner.dag.edges_directed(node, Outgoing).next().is_none()
        && inner.outputs.iter().all(|p| p.node != node)
}

/// Replaces the ops that `wanted` picks by their decompositions, as far as they have one, until it picks no more.
pub(crate) fn decompose(
    graph: &Graph,
    registry: &Registry,
    wanted: impl Fn(&Graph, NodeId) -> bool,
) -> Result<usize, PlanError> {
    let mut replaced = 0;
    loop {
        let nodes = graph.borrow().ops_in_order();
        let Some((node, op, at)) = nodes.into_iter().find_map(|n| pick(graph, registry, n, &wanted)) else {
            return Ok(replaced);
        };
        let (inputs, order, outputs) = {
            let inner = graph.borrow();
            (inner.inputs(node), inner.dag[node].order, inner.dag[node].outs.len())
        };
        let Some(make) = registry.decomposition(&*op) else { return Ok(replaced) };
        let values: Option<Vec<_>> = inputs.iter().map(|p| graph.value(*p)).collect();
        let values = values.unwrap_or_default();
        let before = graph.borrow().recorded;
        let made = make(&*op, graph, &values.iter().collect::<Vec<_>>()).map_err(|e| broken(&op, &e.at(at)))?;
        let ports: Option<Vec<Port>> = made.iter().map(|v| graph.port(v)).collect();
        let ports = ports.filter(|p| p.len() == outputs).ok_or_else(|| PlanError::Decompose {
            op: op.name(),
            error: "its outputs are not those of the op".to_owned(),
        })?;
        let mut inner = graph.borrow_mut();
        for (output, port) in ports.into_iter().enumerate() {
            inner.replace(Port { node, output }, port);
        }
        inner.dag.remove_node(node);
        inner.dag.node_weights_mut().filter(|n| n.order > before).for_each(|n| n.order = order);
        replaced += 1;
    }
}

fn pick(
    graph: &Graph,
    registry: &Registry,
    node: NodeId,
    wanted: impl Fn(&Graph, NodeId) -> bool,
) -> Option<(NodeId, ArcOp, &'static std::panic::Location<'static>)> {
    let inner = graph.borrow();
    let NodeKind::Op { op, at } = &inner.dag[node].kind else { return None };
    registry.decomposition(&**op)?;
    let (op, at) = (op.clone(), *at);
    drop(inner);
    wanted(graph, node).then_some((node, op, at))
}

fn broken(op: &ArcOp, error: &OpError) -> PlanError {
    PlanError::Decompose { op: op.name(), error: error.to_string() }
}
