//! Running one case with one kernel.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;

use vt_core::kernel::{Call, Support};
use vt_core::op::{AnyCase, Operand, Outs, ValueType};
use vt_core::plan::{Feed, Options, Outputs, Pass, Plan, Sequence, panic_message};
use vt_core::registry::{Device, KernelInfo, Registry};
use vt_core::{Graph, PlanError, Recorder, Sizes, Tensor, Value};

use super::array::NamedArray;
use super::{manifest, state};

/// Why there is no result.
#[derive(Debug)]
pub(super) enum NoResult {
    /// The device does not take the case.
    Refused(String),
    /// It should, and failed.
    Failed(String),
}

fn failed(error: impl ToString) -> NoResult {
    NoResult::Failed(error.to_string())
}

/// The kernels of a case's op on a device with their answers, best first.
pub(super) fn kernels(registry: &Registry, device: &dyn Device, case: &AnyCase) -> Result<Vec<KernelInfo>, String> {
    let inputs = manifest::types(case);
    let outputs = case.op.infer(&inputs.iter().collect::<Vec<_>>()).map_err(|e| e.to_string())?;
    let call = Call { inputs: &inputs, outputs: &outputs, sizes: case.sizes, workers: device.workers() };
    let explain = || registry.explain(&*case.op, device.name(), &call);
    catch_unwind(AssertUnwindSafe(explain))
        .map_err(|panic| format!("a kernel's `supports` panicked: {}", panic_message(&*panic)))
}

/// The result of a case: its outputs; of a state, what the sequences hold afterwards.
pub(super) fn run(
    registry: &Arc<Registry>,
    device: &str,
    kernel: &KernelInfo,
    case: &AnyCase,
) -> Result<Vec<NamedArray>, NoResult> {
    if let Support::No(reason) = &kernel.support {
        return Err(NoResult::Refused(reason.clone()));
    }
    run_within(registry, device, &kernel.name, case, case.sizes)
}

/// As [`run`], by a plan for passes of more rows than the case has.
pub(super) fn run_with_room(
    registry: &Arc<Registry>,
    device: &str,
    kernel: &KernelInfo,
    case: &AnyCase,
) -> Result<Vec<NamedArray>, NoResult> {
    let largest = Sizes { t: case.sizes.t + ROOM, r: case.sizes.r + ROOM };
    run_within(registry, device, &kernel.name, case, largest)
}

/// Rows that a plan has room for and a pass does not use.
const ROOM: usize = 5;

fn run_within(
    registry: &Arc<Registry>,
    device: &str,
    kernel: &str,
    case: &AnyCase,
    largest: Sizes,
) -> Result<Vec<NamedArray>, NoResult> {
    let options = Options { kernel: Some(kernel.to_owned()), fuse: false, ..Options::new(device, largest) };
    let run = || run_planned(registry, &options, case);
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(failed("panicked while it was planned")))
}

/// The result of a case by a plan made as `options` say.
pub(super) fn run_planned(
    registry: &Arc<Registry>,
    options: &Options,
    case: &AnyCase,
) -> Result<Vec<NamedArray>, NoResult> {
    let (graph, fed, outs) = record(case)?;
    let plan = Plan::new(&graph, registry, options).map_err(|error| match error {
        PlanError::NoKernel { .. } => NoResult::Refused(error.to_string()),
        error => failed(error),
    })?;
    let mut memory = plan.memory().map_err(failed)?;
    let feeds: Option<Vec<Feed<'_>>> = fed.iter().map(Feed::tensor).collect();
    let feeds = feeds.ok_or_else(|| failed("an input that the host cannot see"))?;
    let mut sequences = state::sequences(case, plan.states()).map_err(failed)?;
    let mut borrowed: Vec<&mut Sequence> = sequences.iter_mut().collect();
    let spans = if plan.states().is_empty() { &[][..] } else { &case.spans };
    let mut pass = Pass { inputs: &feeds, spans, sequences: &mut borrowed, sizes: case.sizes };
    let outputs = plan.run(&mut memory, &mut pass).map_err(failed)?;
    results(case, &outs, &outputs, &mut sequences).map_err(failed)
}

/// A graph of the case's op, the run-time inputs it is fed, and the types of its outputs.
///
/// What leads with a symbol is a run-time input, as in a model; the rest are weights and state.
fn record(case: &AnyCase) -> Result<(Graph, Vec<Tensor>, Outs), NoResult> {
    let graph = Graph::new();
    let mut fed = Vec::new();
    let mut values = Vec::new();
    for (i, (operand, name)) in case.inputs.iter().zip(case.op.input_names()).enumerate() {
        let tensor = case.tensor(i).map_err(failed)?;
        values.push(match (operand, tensor) {
            (Operand::Tensor { desc, .. }, Some(tensor)) if desc.sym().is_some() => {
                fed.push(tensor);
                graph.input(name, desc.clone())
            }
            (_, Some(tensor)) => Value::weight(name, tensor),
            (Operand::State { spec, .. }, None) => graph.state(*spec),
            (Operand::Tensor { .. }, None) => return Err(failed(format!("{name}: no tensor"))),
        });
    }
    let inputs: Vec<&Value> = values.iter().collect();
    let outputs = graph.record(Arc::clone(&case.op), &inputs, Location::caller()).map_err(failed)?;
    for value in outputs.iter().filter(|v| v.desc().is_some()) {
        graph.output(value).map_err(failed)?;
    }
    let types = outputs.iter().map(|v| v.ty().clone()).collect();
    Ok((graph, fed, types))
}

fn results(
    case: &AnyCase,
    outs: &Outs,
    outputs: &Outputs<'_>,
    sequences: &mut [Sequence],
) -> Result<Vec<NamedArray>, String> {
    let mut arrays = Vec::new();
    let mut tensors = 0..outputs.len();
    for (number, (ty, name)) in outs.iter().zip(manifest::output_names(outs)).enumerate() {
        match ty {
            ValueType::Tensor(_) => {
                let output = tensors.next().ok_or("an output is missing")?;
                let tensor = outputs.tensor(output).map_err(|e| e.to_string())?;
                arrays.push(NamedArray::of_tensor(&name, &tensor)?);
            }
            ValueType::State(spec) => {
                let slot = slot(case, number).ok_or("an output state that is no next version of an input")?;
                for (q, sequence) in sequences.iter_mut().enumerate() {
                    arrays.extend(state::read(&name, spec, q, slot, state::positions(case, q), sequence)?);
                }
            }
        }
    }
    Ok(arrays)
}

/// The slot of a state output: the number of the state input that it is the next version of.
fn slot(case: &AnyCase, output: usize) -> Option<usize> {
    let (input, _) = case.op.advances().iter().find(|(_, o)| *o == output)?;
    Some(case.inputs.get(..*input)?.iter().filter(|o| matches!(o, Operand::State { .. })).count())
}
