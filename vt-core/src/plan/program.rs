//! A graph after its passes, as a list: what is scheduled.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::assign::{FallbackInfo, supported, types_of};
use super::error::PlanError;
use super::options::{Fallback, Options};
use crate::graph::decompose::decompose;
use crate::graph::fuse::fuse;
use crate::graph::passes;
use crate::graph::{FusionCounts, Graph, Inner, Input, NodeId, NodeKind, Port};
use crate::op::{AnyOp, ArcOp, Outs, ValueType, contract};
use crate::registry::Registry;
use crate::{Desc, StateSpec, Tensor};

/// More than any machine has; keeps the sizes of their copies in bounds.
const MOST_WORKERS: usize = 4096;

/// Where an op's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Input(usize),
    Weight(usize),
    /// The state of a slot as the pass finds it.
    State(usize),
    Node {
        node: usize,
        output: usize,
    },
}

/// An op of the program.
#[derive(Clone, Debug)]
pub(crate) struct ProgramNode {
    pub op: ArcOp,
    pub inputs: SmallVec<[Source; 6]>,
    pub input_types: Vec<ValueType>,
    pub outputs: Outs,
    /// The device that runs it.
    pub device: usize,
    /// The slots of its state outputs.
    pub slots: SmallVec<[Option<usize>; 1]>,
}

/// What is scheduled: inputs, weights, states and ops in a topological order.
#[derive(Debug)]
pub(crate) struct Program {
    /// The inputs that a pass gives.
    pub inputs: Vec<(String, Desc)>,
    pub weights: Vec<(String, Tensor)>,
    pub states: Vec<StateSpec>,
    pub nodes: Vec<ProgramNode>,
    pub outputs: Vec<Source>,
    pub batch: BatchInputs,
    /// The number of workers of each device, asked once: a device that changes its mind is refused when it runs.
    pub workers: Vec<usize>,
    pub fusions: FusionCounts,
    pub fallbacks: Vec<FallbackInfo>,
}

/// Whether the graph uses the inputs that come from a pass's spans. They are numbered after the given ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BatchInputs {
    pub positions: Option<usize>,
    pub sequences: Option<usize>,
}

impl Program {
    pub(crate) fn needs_spans(&self) -> bool {
        self.batch.positions.is_some() || self.batch.sequences.is_some() || !self.states.is_empty()
    }

    /// Runs the passes on a copy of the graph and lists what is left, each op with its device.
    pub(crate) fn new(graph: &Graph, registry: &Registry, options: &Options, device: usize) -> Result<Self, PlanError> {
        let graph = graph.clone();
        let devices = registry.devices();
        let name = devices[device].name();
        let usable = |op: &ArcOp, ins: &[ValueType], outs: &[ValueType]| {
            supported(registry, &**op, ins, outs, name, options).is_ok()
        };
        passes::drop_dead(&graph);
        passes::merge_common(&graph);
        let fusions = fuse(&graph, registry, options.fuse, usable)?;
        passes::drop_dead(&graph);
        let reference = registry.reference_index().filter(|_| options.fallback == Fallback::Reference);
        if options.fallback != Fallback::Error {
            let lacking = |graph: &Graph, node: NodeId| {
                let Some((op, ins, outs)) = types_of(graph, node) else { return false };
                let on = |d: &str| supported(registry, &*op, &ins, &outs, d, options).is_ok();
                !on(name) && !reference.is_some_and(|r| on(devices[r].name()))
            };
            decompose(&graph, registry, lacking)?;
            passes::drop_dead(&graph);
            passes::merge_common(&graph);
        }
        let mut program = Self::list(&graph, device)?;
        program.workers = devices.iter().map(|d| d.workers().clamp(1, MOST_WORKERS)).collect();
        program.fusions = fusions;
        program.assign(registry, options, device, reference)?;
        Ok(program)
    }

    /// The nodes in a topological order that keeps to the recorded one.
    fn list(graph: &Graph, device: usize) -> Result<Self, PlanError> {
        let inner = graph.borrow();
        let mut program = Self {
            inputs: Vec::new(),
            weights: Vec::new(),
            states: graph.states(),
            nodes: Vec::new(),
            outputs: Vec::new(),
            batch: BatchInputs::default(),
            workers: Vec::new(),
            fusions: FusionCounts::default(),
            fallbacks: Vec::new(),
        };
        let mut sources: HashMap<Port, Source> = HashMap::new();
        let mut leaves: Vec<NodeId> = inner.dag.node_indices().collect();
        leaves.sort_by_key(|n| inner.dag[*n].order);
        let mut slot = 0;
        for node in leaves {
            let port = Port { node, output: 0 };
            match &inner.dag[node].kind {
                NodeKind::Input(Input::Fed(name, desc)) => {
                    if !desc.symbol_leads() {
                        return Err(invalid("input", &format!("{name}: {desc}: a symbol must lead the shape")));
                    }
                    sources.insert(port, Source::Input(program.inputs.len()));
                    program.inputs.push((name.clone(), desc.clone()));
                }
                NodeKind::Weight { name, tensor } => {
                    sources.insert(port, Source::Weight(program.weights.len()));
                    program.weights.push((name.clone(), tensor.clone()));
                }
                NodeKind::State(_) => {
                    sources.insert(port, Source::State(slot));
                    slot += 1;
                }
                NodeKind::Input(_) | NodeKind::Op { .. } => {}
            }
        }
        program.add_batch_inputs(&inner, &mut sources);
        let mut waiting = inner.ops_in_order();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|n| inner.inputs(*n).iter().all(|p| sources.contains_key(p)));
            let Some(at) = ready else { return Err(PlanError::Order { op: inner.op_name(waiting[0]) }) };
            let node = waiting.remove(at);
            program.push(&inner, node, device, &mut sources)?;
        }
        for port in &inner.outputs {
            let computed = sources.get(port).copied().filter(|s| matches!(s, Source::Node { .. }));
            program.outputs.push(computed.ok_or_else(|| invalid("output", "it is an input or a weight"))?);
        }
        Ok(program)
    }

    fn add_batch_inputs(&mut self, inner: &Inner, sources: &mut HashMap<Port, Source>) {
        let mut next = self.inputs.len();
        for node in inner.dag.node_indices() {
            let number = match &inner.dag[node].kind {
                NodeKind::Input(Input::Positions) => &mut self.batch.positions,
                NodeKind::Input(Input::Sequences) => &mut self.batch.sequences,
                _ => continue,
            };
            *number = Some(next);
            sources.insert(Port { node, output: 0 }, Source::Input(next));
            next += 1;
        }
    }

    fn push(
        &mut self,
        inner: &Inner,
        node: NodeId,
        device: usize,
        sources: &mut HashMap<Port, Source>,
    ) -> Result<(), PlanError> {
        let NodeKind::Op { op, .. } = &inner.dag[node].kind else { return Ok(()) };
        let ports = inner.inputs(node);
        let inputs: SmallVec<[Source; 6]> = ports.iter().map(|p| sources[p]).collect();
        let input_types: Vec<ValueType> = ports.iter().map(|p| inner.dag[p.node].outs[p.output].clone()).collect();
        let outputs = inner.dag[node].outs.clone();
        let types: Vec<&ValueType> = input_types.iter().collect();
        contract::check(&**op, &types, &outputs).map_err(|why| invalid(op.name(), &why))?;
        let slots = (0..outputs.len()).map(|o| self.slot_of(&**op, &inputs, o)).collect();
        let number = self.nodes.len();
        for output in 0..outputs.len() {
            sources.insert(Port { node, output }, Source::Node { node: number, output });
        }
        self.nodes.push(ProgramNode { op: op.clone(), inputs, input_types, outputs, device, slots });
        Ok(())
    }

    /// The slot of output `output`, if it is the next version of a state input.
    fn slot_of(&self, op: &dyn AnyOp, inputs: &[Source], output: usize) -> Option<usize> {
        let (input, _) = op.advances().iter().find(|(_, o)| *o == output)?;
        self.slot(inputs[*input])
    }

    /// The slot of a state.
    pub(crate) fn slot(&self, source: Source) -> Option<usize> {
        match source {
            Source::State(slot) => Some(slot),
            Source::Node { node, output } => self.nodes[node].slots[output],
            Source::Input(_) | Source::Weight(_) => None,
        }
    }
}

fn invalid(op: &'static str, why: &str) -> PlanError {
    PlanError::Invalid { op, why: why.to_owned() }
}
