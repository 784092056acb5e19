//! Graphs of ops.

use std::cell::RefCell;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use petgraph::Direction::Outgoing;
use petgraph::stable_graph::NodeIndex;

use super::inner::{Inner, Input, NodeKind};
use super::value::{At, Recorder, Value};
use crate::op::{ArcOp, Op, Outs, ValueType, contract};
use crate::{DType, Desc, OpError, StateSpec, Sym};

/// A node of a graph.
pub type NodeId = NodeIndex;

/// An output of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    /// The node.
    pub node: NodeId,
    /// Which of its outputs.
    pub output: usize,
}

/// What one op computes in place of several.
#[derive(Clone, Debug)]
pub struct Fused {
    /// The op. It takes the place of the node that the pattern was asked about, and has its outputs.
    pub op: ArcOp,
    /// Its inputs.
    pub inputs: Vec<Port>,
}

/// A graph: ops recorded once, planned once, run many times.
#[derive(Debug)]
pub struct Graph {
    id: u64,
    inner: RefCell<Inner>,
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

/// A copy is a graph of its own: values belong to the one that they were made by.
impl Clone for Graph {
    fn clone(&self) -> Self {
        Self { id: next_id(), inner: RefCell::new(self.inner.borrow().clone()) }
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self { id: next_id(), inner: RefCell::default() }
    }

    /// A run-time input. Passes give inputs in the order of these calls.
    pub fn input(&self, name: &str, desc: Desc) -> Value {
        let ty = ValueType::Tensor(desc.clone());
        self.leaf(NodeKind::Input(Input::Fed(name.to_owned(), desc)), ty)
    }

    /// The position of each row in its sequence: i32 `[T]`, from the pass's spans.
    pub fn positions(&self) -> Value {
        self.leaf(NodeKind::Input(Input::Positions), index())
    }

    /// The sequence of each row: i32 `[T]`, from the pass's spans.
    pub fn sequences(&self) -> Value {
        self.leaf(NodeKind::Input(Input::Sequences), index())
    }

    /// A piece of state that each sequence carries. Slots are numbered in the order of these calls.
    pub fn state(&self, spec: StateSpec) -> Value {
        self.leaf(NodeKind::State(spec), ValueType::State(spec))
    }

    /// Makes a value an output of every pass; outputs are numbered in the order of these calls.
    ///
    /// # Errors
    /// If it is a weight, an input, state, or of another graph.
    pub fn output(&self, value: &Value) -> Result<(), OpError> {
        let error = |why| OpError::Eager { op: "output", why };
        let At::Node { graph, port } = &value.at else { return Err(error("a weight is no output")) };
        if *graph != self.id {
            return Err(OpError::Foreign { op: "output", input: "value" });
        }
        if value.ty.tensor().is_none() {
            return Err(error("state is no output"));
        }
        let mut inner = self.inner.borrow_mut();
        if !matches!(inner.dag[port.node].kind, NodeKind::Op { .. }) {
            return Err(error("an input is no output"));
        }
        inner.outputs.push(*port);
        Ok(())
    }

    /// The kinds of state, by slot.
    pub fn states(&self) -> Vec<StateSpec> {
        let inner = self.inner.borrow();
        let mut states: Vec<(usize, StateSpec)> = inner
            .dag
            .node_weights()
            .filter_map(|n| if let NodeKind::State(s) = n.kind { Some((n.order, s)) } else { None })
            .collect();
        states.sort_by_key(|(order, _)| *order);
        states.into_iter().map(|(_, s)| s).collect()
    }

    /// The op of a node, if it is an `O`, with the node's inputs. For patterns.
    pub fn op<O: Op>(&self, node: NodeId) -> Option<(O, Vec<Port>)> {
        let inner = self.inner.borrow();
        let NodeKind::Op { op, .. } = &inner.dag.node_weight(node)?.kind else { return None };
        Some((op.as_any().downcast_ref::<O>()?.clone(), inner.inputs(node)))
    }

    /// As [`Graph::op`], of a node whose only output is used once and is no output of the graph. For patterns.
    pub fn sole<O: Op>(&self, port: Port) -> Option<(O, Vec<Port>)> {
        let inner = self.inner.borrow();
        let once = inner.dag.edges_directed(port.node, Outgoing).count() == 1;
        if !once || inner.outputs.iter().any(|p| p.node == port.node) {
            return None;
        }
        drop(inner);
        self.op::<O>(port.node)
    }

    /// The type of a node's output. For patterns.
    pub fn port_type(&self, port: Port) -> Option<ValueType> {
        self.inner.borrow().dag.node_weight(port.node)?.outs.get(port.output).cloned()
    }

    pub(crate) fn borrow(&self) -> std::cell::Ref<'_, Inner> {
        self.inner.borrow()
    }

    pub(crate) fn borrow_mut(&self) -> std::cell::RefMut<'_, Inner> {
        self.inner.borrow_mut()
    }

    /// A port as a value, for decompositions.
    pub(crate) fn value(&self, port: Port) -> Option<Value> {
        Some(Value { ty: self.port_type(port)?, at: At::Node { graph: self.id, port } })
    }

    /// The port of a value; a weight's node is made if it is not there yet.
    pub(crate) fn port(&self, value: &Value) -> Option<Port> {
        match &value.at {
            At::Node { graph, port } => (*graph == self.id).then_some(*port),
            At::Tensor { name, tensor } => {
                let known = self.inner.borrow().weight(tensor);
                let node = known.unwrap_or_else(|| {
                    let kind = NodeKind::Weight { name: name.to_string(), tensor: tensor.clone() };
                    self.inner.borrow_mut().add(kind, Outs::from_iter([value.ty.clone()]))
                });
                Some(Port { node, output: 0 })
            }
        }
    }

    fn leaf(&self, kind: NodeKind, ty: ValueType) -> Value {
        let mut inner = self.inner.borrow_mut();
        let node = match &kind {
            NodeKind::Input(input @ (Input::Positions | Input::Sequences)) => inner.batch_input(input),
            _ => None,
        };
        let node = node.unwrap_or_else(|| inner.add(kind, Outs::from_iter([ty.clone()])));
        Value { ty, at: At::Node { graph: self.id, port: Port { node, output: 0 } } }
    }
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn index() -> ValueType {
    ValueType::Tensor(Desc::new(DType::I32, [Sym::T]))
}

impl Recorder for Graph {
    fn record(&self, op: ArcOp, inputs: &[&Value], at: &'static Location<'static>) -> Result<Vec<Value>, OpError> {
        let types: Vec<&ValueType> = inputs.iter().map(|v| &v.ty).collect();
        let outs = op.infer(&types).map_err(|e| e.at(at))?;
        let invalid = |why| OpError::Invalid { op: op.name(), why }.at(at);
        contract::check(&*op, &types, &outs).map_err(invalid)?;
        let foreign = |i: usize| OpError::Foreign { op: op.name(), input: op.input_names()[i] }.at(at);
        let ports: Vec<Port> =
            inputs.iter().enumerate().map(|(i, v)| self.port(v).ok_or_else(|| foreign(i))).collect::<Result<_, _>>()?;
        let mut inner = self.inner.borrow_mut();
        if op.advances().iter().any(|(input, _)| inner.is_advanced(ports[*input])) {
            return Err(invalid("a state that was advanced already has one next version".to_owned()));
        }
        let node = inner.add(NodeKind::Op { op, at }, outs.clone());
        inner.connect(node, &ports);
        let value = |(output, ty)| Value { ty, at: At::Node { graph: self.id, port: Port { node, output } } };
        Ok(outs.into_iter().enumerate().map(value).collect())
    }
}
