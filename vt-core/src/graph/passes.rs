//! What is left out of a graph before it is planned: dead ops, and ops that are recorded twice.

use petgraph::visit::{Dfs, Reversed};

use super::graph::{Graph, NodeId, Port};
use super::inner::{Inner, NodeKind};
use crate::op::ArcOp;

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
