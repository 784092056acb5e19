//! Running one case with one kernel.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use vt_core::Sizes;
use vt_core::kernel::{Call, Support};
use vt_core::op::{AnyCase, Operand, Outs, ValueType};
use vt_core::plan::{Options, Outputs, Sequence, panic_message};
use vt_core::registry::{Device, KernelInfo, Registry};

use super::array::NamedArray;
use super::prepared::{Data, Prepared};
use super::{manifest, state};

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum NoResult {
    /// The device does not take the case.
    Refused(String),
    /// It should, and failed.
    Failed(String),
}

impl NoResult {
    /// Why.
    pub(crate) fn why(self) -> String {
        match self {
            NoResult::Refused(why) | NoResult::Failed(why) => why,
        }
    }
}

pub(super) fn failed(error: impl ToString) -> NoResult {
    NoResult::Failed(error.to_string())
}

/// The kernels of a case's op on a device with their answers, best first.
pub(crate) fn kernels(registry: &Registry, device: &dyn Device, case: &AnyCase) -> Result<Vec<KernelInfo>, String> {
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
    let mut prepared = Prepared::new(registry, options, case, &Data::new(case)?)?;
    let outs = prepared.outs.clone();
    let (outputs, sequences) = prepared.run()?;
    results(case, &outs, &outputs, sequences).map_err(failed)
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
