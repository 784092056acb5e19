//! A case that is planned, with its data: it can be run as often as one likes.

use std::panic::Location;
use std::sync::Arc;

use vt_core::op::{AnyCase, Operand, Outs};
use vt_core::plan::{Feed, Memory, Options, Outputs, Pass, Plan, Sequence};
use vt_core::registry::Registry;
use vt_core::{Graph, PlanError, Recorder, Tensor, Value};

use super::runner::{NoResult, failed};
use super::state;

/// The data of a case: made once, for any number of plans.
pub(crate) struct Data {
    /// The tensors by inputs, `None` for state; a set for each time that a pass computes the case.
    sets: Vec<Vec<Option<Tensor>>>,
}

impl Data {
    /// The data of a pass that computes the case once.
    pub(crate) fn new(case: &AnyCase) -> Result<Self, NoResult> {
        let tensors: Result<_, _> = (0..case.inputs.len()).map(|i| case.tensor(i)).collect();
        Ok(Self { sets: vec![tensors.map_err(failed)?] })
    }

    /// From now on a pass computes the case so many times, each with weights of its own.
    pub(crate) fn repeat(&mut self, times: usize) -> Result<(), NoResult> {
        for _ in 1..times {
            let copies = self.sets[0].iter().map(|tensor| tensor.as_ref().map(copied).transpose());
            let copies = copies.collect::<Result<_, _>>()?;
            self.sets.push(copies);
        }
        Ok(())
    }

    /// The bytes of the weights of one set.
    pub(crate) fn weight_bytes(&self, case: &AnyCase) -> usize {
        let tensors = case.inputs.iter().zip(&self.sets[0]).filter(|(operand, _)| is_weight(operand));
        tensors.filter_map(|(_, tensor)| Some(tensor.as_ref()?.storage().len())).sum()
    }
}

fn copied(tensor: &Tensor) -> Result<Tensor, NoResult> {
    let bytes = tensor.bytes().ok_or_else(|| failed("a tensor that the host cannot see"))?;
    Tensor::from_bytes(tensor.dtype(), tensor.shape(), bytes).map_err(failed)
}

/// What leads with a symbol is a run-time input, as in a model; other tensors are weights.
fn is_weight(operand: &Operand) -> bool {
    matches!(operand, Operand::Tensor { desc, .. } if desc.sym().is_none())
}

/// A planned case.
pub(crate) struct Prepared<'c> {
    case: &'c AnyCase,
    pub plan: Plan,
    pub memory: Memory,
    fed: Vec<Tensor>,
    /// The types of the outputs.
    pub outs: Outs,
    pub sequences: Vec<Sequence>,
}

impl<'c> Prepared<'c> {
    /// Plans a case as `options` say.
    pub(crate) fn new(
        registry: &Arc<Registry>,
        options: &Options,
        case: &'c AnyCase,
        data: &Data,
    ) -> Result<Self, NoResult> {
        let (graph, outs) = record(case, data)?;
        let plan = Plan::new(&graph, registry, options).map_err(|error| match error {
            PlanError::NoKernel { .. } => NoResult::Refused(error.to_string()),
            error => failed(error),
        })?;
        let memory = plan.memory().map_err(failed)?;
        let sequences = state::sequences(case, plan.states()).map_err(failed)?;
        let fed = case.inputs.iter().zip(&data.sets[0]).filter(|(operand, _)| !is_weight(operand));
        let fed = fed.filter_map(|(_, tensor)| tensor.clone()).collect();
        Ok(Self { case, plan, memory, fed, outs, sequences })
    }

    /// Runs a pass: its outputs, and what holds the state.
    pub(crate) fn run(&mut self) -> Result<(Outputs<'_>, &mut [Sequence]), NoResult> {
        let feeds: Option<Vec<Feed<'_>>> = self.fed.iter().map(Feed::tensor).collect();
        let feeds = feeds.ok_or_else(|| failed("an input that the host cannot see"))?;
        // A state that cannot be cut is taken to be where the case has it, however often it has run.
        for span in &self.case.spans {
            if let Some(sequence) = self.sequences.get_mut(span.sequence) {
                sequence.assume_len(span.position);
            }
        }
        let mut borrowed: Vec<&mut Sequence> = self.sequences.iter_mut().collect();
        let spans = if self.plan.states().is_empty() { &[][..] } else { &self.case.spans };
        let mut pass = Pass { inputs: &feeds, spans, sequences: &mut borrowed, sizes: self.case.sizes };
        let outputs = self.plan.run(&mut self.memory, &mut pass).map_err(failed)?;
        Ok((outputs, &mut self.sequences))
    }
}

/// A graph that computes the case with each set of the data, and the types of the case's outputs.
fn record(case: &AnyCase, data: &Data) -> Result<(Graph, Outs), NoResult> {
    let graph = Graph::new();
    let operands = || case.inputs.iter().zip(case.op.input_names());
    let shared: Vec<Option<Value>> = operands()
        .map(|(operand, name)| match operand {
            Operand::Tensor { desc, .. } => desc.sym().map(|_| graph.input(name, desc.clone())),
            Operand::State { spec, .. } => Some(graph.state(*spec)),
        })
        .collect();
    let mut types = Outs::new();
    for tensors in &data.sets {
        let value = |((shared, tensor), (_, name)): ((&Option<Value>, &Option<Tensor>), (_, &&'static str))| {
            let weight = || tensor.clone().map(|tensor| Value::weight(name, tensor));
            shared.clone().or_else(weight).ok_or_else(|| failed(format!("{name}: no tensor")))
        };
        let values: Vec<Value> = shared.iter().zip(tensors).zip(operands()).map(value).collect::<Result<_, _>>()?;
        let inputs: Vec<&Value> = values.iter().collect();
        let outputs = graph.record(Arc::clone(&case.op), &inputs, Location::caller()).map_err(failed)?;
        for value in outputs.iter().filter(|v| v.desc().is_some()) {
            graph.output(value).map_err(failed)?;
        }
        types = outputs.iter().map(|v| v.ty().clone()).collect();
    }
    Ok((graph, types))
}
