//! What a graph is made of.

use std::panic::Location;

use petgraph::Direction::{Incoming, Outgoing};
use petgraph::stable_graph::StableDiGraph;
use petgraph::visit::EdgeRef;

use super::graph::{NodeId, Port};
use crate::op::{ArcOp, Outs};
use crate::{Desc, StateSpec, Tensor};

/// A run-time input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// Given to each pass.
    Fed(String, Desc),
    /// The position of each row, from the pass's spans.
    Positions,
    /// The sequence of each row, from the pass's spans.
    Sequences,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Input(Input),
    Weight { name: String, tensor: Tensor },
    State(StateSpec),
    Op { op: ArcOp, at: &'static Location<'static> },
}

/// A node: what it is, what it gives, and its place in the recorded order.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    pub outs: Outs,
    pub order: usize,
}

/// An edge: output `from` of its source is input `to` of its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Inner {
    pub dag: StableDiGraph<Node, Edge>,
    pub outputs: Vec<Port>,
    pub recorded: usize,
}

impl Inner {
    pub(crate) fn add(&mut self, kind: NodeKind, outs: Outs) -> NodeId {
        self.recorded += 1;
        self.dag.add_node(Node { kind, outs, order: self.recorded })
    }

    pub(crate) fn connect(&mut self, node: NodeId, inputs: &[Port]) {
        for (to, port) in inputs.iter().enumerate() {
            self.dag.add_edge(port.node, node, Edge { from: port.output, to });
        }
    }

    /// Removes the edges to a node.
    pub(crate) fn disconnect(&mut self, node: NodeId) {
        let edges: Vec<_> = self.dag.edges_directed(node, Incoming).map(|e| e.id()).collect();
        for edge in edges {
            self.dag.remove_edge(edge);
        }
    }

    /// The inputs of a node, in their order: that of edges in the graph is not it.
    pub(crate) fn inputs(&self, node: NodeId) -> Vec<Port> {
        let mut edges: Vec<_> = self
            .dag
            .edges_directed(node, Incoming)
            .map(|e| (e.weight().to, Port { node: e.source(), output: e.weight().from }))
            .collect();
        edges.sort_by_key(|(to, _)| *to);
        edges.into_iter().map(|(_, port)| port).collect()
    }

    /// Whether an op makes the next version of this state.
    pub(super) fn is_advanced(&self, state: Port) -> bool {
        let mut users = self.dag.edges_directed(state.node, Outgoing).filter(|e| e.weight().from == state.output);
        users.any(|e| match &self.dag[e.target()].kind {
            NodeKind::Op { op, .. } => op.advances().iter().any(|(input, _)| *input == e.weight().to),
            _ => false,
        })
    }

    /// Makes every user of `old` use `new`.
    pub(crate) fn replace(&mut self, old: Port, new: Port) {
        let users: Vec<_> = self
            .dag
            .edges_directed(old.node, Outgoing)
            .filter(|e| e.weight().from == old.output)
            .map(|e| (e.id(), e.target(), e.weight().to))
            .collect();
        for (edge, target, to) in users {
            self.dag.remove_edge(edge);
            self.dag.add_edge(new.node, target, Edge { from: new.output, to });
        }
        self.outputs.iter_mut().filter(|p| **p == old).for_each(|p| *p = new);
    }

    /// The op nodes in recorded order.
    pub(crate) fn ops_in_order(&self) -> Vec<NodeId> {
        let is_op = |n: &NodeId| matches!(self.dag[*n].kind, NodeKind::Op { .. });
        let mut nodes: Vec<NodeId> = self.dag.node_indices().filter(is_op).collect();
        nodes.sort_by_key(|n| self.dag[*n].order);
        nodes
    }

    /// The name of a node's op.
    pub(crate) fn op_name(&self, node: NodeId) -> &'static str {
        match &self.dag[node].kind {
            NodeKind::Op { op, .. } => op.name(),
            _ => "input",
        }
    }

    pub(super) fn weight(&self, tensor: &Tensor) -> Option<NodeId> {
        self.dag.node_indices().find(|n| match &self.dag[*n].kind {
            NodeKind::Weight { tensor: t, .. } => t.storage().same(tensor.storage()) && t.desc() == tensor.desc(),
            _ => false,
        })
    }

    pub(super) fn batch_input(&self, input: &Input) -> Option<NodeId> {
        self.dag.node_indices().find(|n| matches!(&self.dag[*n].kind, NodeKind::Input(i) if i == input))
    }
}
