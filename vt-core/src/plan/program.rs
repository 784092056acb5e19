//! A graph after its passes, as a list: what is scheduled.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::error::{MissingKernel, PlanError};
use super::options::{Fallback, Options};
use crate::graph::passes::{self, FusionCounts};
use crate::graph::{Graph, Input, NodeId, NodeKind, Port};
use crate::kernel::Call;
use crate::op::{AnyOp, ArcOp, Outs, ValueType};
use crate::registry::Registry;
use crate::{Desc, StateSpec, Tensor};

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

/// An op that does not run on the plan's device, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FallbackInfo {
    /// What there is no kernel for.
    pub missing: MissingKernel,
    /// The device that runs it instead.
    pub device: &'static str,
}

#[derive(Debug)]
pub(crate) struct Program {
    /// The inputs that a pass gives.
    pub inputs: Vec<(String, Desc)>,
    pub weights: Vec<(String, Tensor)>,
    pub states: Vec<StateSpec>,
    pub nodes: Vec<ProgramNode>,
    pub outputs: Vec<Source>,
    pub batch: BatchInputs,
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
        let fusions = passes::fuse(&graph, registry, options.fuse, usable)?;
        passes::drop_dead(&graph);
        let reference = registry.reference_index().filter(|_| options.fallback == Fallback::Reference);
        if options.fallback != Fallback::Error {
            let lacking = |graph: &Graph, node: NodeId| {
                let Some((op, ins, outs)) = types_of(graph, node) else { return false };
                let on = |d: &str| supported(registry, &*op, &ins, &outs, d, options).is_ok();
                !on(name) && !reference.is_some_and(|r| on(devices[r].name()))
            };
            passes::decompose(&graph, registry, lacking)?;
            passes::merge_common(&graph);
        }
        let mut program = Self::list(&graph, device)?;
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
            let Some(at) = ready else { break };
            let node = waiting.remove(at);
            program.push(&inner, node, device, &mut sources);
        }
        program.outputs = inner.outputs.iter().filter_map(|p| sources.get(p).copied()).collect();
        Ok(program)
    }

    fn add_batch_inputs(&mut self, inner: &crate::graph::Inner, sources: &mut HashMap<Port, Source>) {
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

    fn push(&mut self, inner: &crate::graph::Inner, node: NodeId, device: usize, sources: &mut HashMap<Port, Source>) {
        let NodeKind::Op { op, .. } = &inner.dag[node].kind else { return };
        let ports = inner.inputs(node);
        let inputs: SmallVec<[Source; 6]> = ports.iter().map(|p| sources[p]).collect();
        let input_types = ports.iter().map(|p| inner.dag[p.node].outs[p.output].clone()).collect();
        let outputs = inner.dag[node].outs.clone();
        let slots = (0..outputs.len()).map(|o| self.slot_of(&**op, &inputs, o)).collect();
        let number = self.nodes.len();
        for output in 0..outputs.len() {
            sources.insert(Port { node, output }, Source::Node { node: number, output });
        }
        self.nodes.push(ProgramNode { op: op.clone(), inputs, input_types, outputs, device, slots });
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

    /// Moves what the device cannot compute to the reference device, or refuses.
    fn assign(
        &mut self,
        registry: &Registry,
        options: &Options,
        device: usize,
        reference: Option<usize>,
    ) -> Result<(), PlanError> {
        let devices = registry.devices();
        let remote = devices[device].store().is_some();
        let mut missing: Vec<(usize, Vec<(String, String)>)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let stateful = node.input_types.iter().chain(&node.outputs).any(|t| t.state().is_some());
            let answer =
                supported(registry, &*node.op, &node.input_types, &node.outputs, devices[device].name(), options);
            match answer {
                Ok(()) if remote && stateful => {
                    missing.push((i, vec![("any".to_owned(), "state is in the host's memory".to_owned())]));
                }
                Ok(()) => {}
                Err(reasons) => missing.push((i, reasons)),
            }
        }
        let mut refused = Vec::new();
        for (i, reasons) in missing {
            let node = &self.nodes[i];
            let found = MissingKernel { op: node.op.name(), inputs: join(&node.input_types), count: 1, reasons };
            let able = reference.filter(|r| {
                supported(registry, &*node.op, &node.input_types, &node.outputs, devices[*r].name(), options).is_ok()
            });
            match able {
                Some(reference) => {
                    self.nodes[i].device = reference;
                    let name = devices[reference].name();
                    count(&mut self.fallbacks, FallbackInfo { missing: found, device: name }, |f| &mut f.missing);
                }
                None => count(&mut refused, found, |m| m),
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        Err(PlanError::NoKernel { device: options.device.clone(), ops: refused })
    }
}

/// Adds to a list in which equal entries are counted.
fn count<T>(list: &mut Vec<T>, new: T, missing: impl Fn(&mut T) -> &mut MissingKernel) {
    let mut new = new;
    let key = {
        let m = missing(&mut new);
        (m.op, m.inputs.clone(), m.reasons.clone())
    };
    for entry in list.iter_mut() {
        let m = missing(entry);
        if m.op == key.0 && m.inputs == key.1 && m.reasons == key.2 {
            m.count += 1;
            return;
        }
    }
    list.push(new);
}

fn join(types: &[ValueType]) -> String {
    types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn types_of(graph: &Graph, node: NodeId) -> Option<(ArcOp, Vec<ValueType>, Outs)> {
    let inner = graph.borrow();
    let NodeKind::Op { op, .. } = &inner.dag.node_weight(node)?.kind else { return None };
    let types = inner.inputs(node).iter().map(|p| inner.dag[p.node].outs[p.output].clone()).collect();
    Some((op.clone(), types, inner.dag[node].outs.clone()))
}

/// Whether the device computes the op in every class of passes.
fn supported(
    registry: &Registry,
    op: &dyn AnyOp,
    inputs: &[ValueType],
    outputs: &[ValueType],
    device: &str,
    options: &Options,
) -> Result<(), Vec<(String, String)>> {
    let workers = registry.devices().iter().find(|d| d.name() == device).map_or(1, |d| d.workers());
    for sizes in &options.classes {
        let call = Call { inputs, outputs, sizes: *sizes, workers };
        registry.choose(op, device, &call, options.kernel_for(registry, op, device, &call))?;
    }
    Ok(())
}

impl Options {
    /// The kernel that the options name, if it is one of this op's.
    pub(crate) fn kernel_for(
        &self,
        registry: &Registry,
        op: &dyn AnyOp,
        device: &str,
        call: &Call<'_>,
    ) -> Option<&str> {
        let name = self.kernel.as_deref()?;
        registry.explain(op, device, call).iter().any(|k| k.name == name).then_some(name)
    }
}
