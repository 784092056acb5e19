//! `vt ops`: which kernels there are, and which would be taken.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};
use vt::config::Config;
use vt_core::kernel::{Call, Support};
use vt_core::op::{AnyCase, OpEntry, Operand, ValueType};
use vt_core::registry::{Device, KernelInfo, Registry};
use vt_core::{Sizes, StateSpec};

use super::model::{ROWS, Threads};
use super::stop::Stop;
use super::{json_text, text};

/// Show the kernels of each op on each device, best first, and which is taken for which types and rows
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    threads: Threads,
    /// Print a list of {"op", "device", "inputs", "rows", "kernels", "chosen"}, one for each kind of inputs
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let registry = args.threads.registry(config)?;
    let answers: Vec<Answer> = registry.ops().iter().flat_map(|op| answers(&registry, op)).collect();
    let out = if args.json {
        json_text::lines(&answers.iter().map(Answer::json).collect())
    } else {
        table(&registry, &answers)
    };
    Ok(text::show(out.as_bytes())?)
}

/// What a device's kernels of an op say to inputs of some types.
struct Answer {
    op: &'static str,
    device: &'static str,
    inputs: String,
    /// The most rows of the passes that they were asked for.
    rows: usize,
    kernels: Vec<KernelInfo>,
}

/// The answers on each device to each kind of inputs that the op's cases have, for passes of one row and of many.
fn answers(registry: &Registry, op: &OpEntry) -> Vec<Answer> {
    let mut kinds: BTreeMap<String, AnyCase> = BTreeMap::new();
    for case in (op.cases)() {
        kinds.entry(kind(&case)).or_insert(case);
    }
    let mut answers = Vec::new();
    for device in registry.devices() {
        for (inputs, case) in &kinds {
            for rows in [1, ROWS] {
                let kernels = kernels(registry, &**device, case, rows);
                answers.push(Answer { op: op.name, device: device.name(), inputs: inputs.clone(), rows, kernels });
            }
        }
    }
    answers
}

/// The types of a case's inputs.
fn kind(case: &AnyCase) -> String {
    let name = |operand: &Operand| match operand {
        Operand::Tensor { desc, .. } => desc.dtype.name().to_owned(),
        Operand::State { spec: StateSpec::KvRows { key, value, .. }, .. } => format!("kv {key}/{value}"),
        Operand::State { spec: StateSpec::LatentRows { dtype, .. }, .. } => format!("latent {dtype}"),
        Operand::State { .. } => "state".to_owned(),
    };
    case.inputs.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn kernels(registry: &Registry, device: &dyn Device, case: &AnyCase, rows: usize) -> Vec<KernelInfo> {
    let value = |operand: &Operand| match operand {
        Operand::Tensor { desc, .. } => ValueType::Tensor(desc.clone()),
        Operand::State { spec, .. } => ValueType::State(*spec),
    };
    let inputs: Vec<ValueType> = case.inputs.iter().map(value).collect();
    // A case that its own op does not take is reported by `vt test-ops`.
    let Ok(outputs) = case.op.infer(&inputs.iter().collect::<Vec<_>>()) else { return Vec::new() };
    let sizes = Sizes { t: rows, r: rows };
    let call = Call { inputs: &inputs, outputs: &outputs, sizes, workers: device.workers() };
    registry.explain(&*case.op, device.name(), &call)
}

impl Answer {
    fn chosen(&self) -> Option<&str> {
        self.kernels.iter().find(|k| k.support == Support::Yes).map(|k| k.name.as_str())
    }

    fn json(&self) -> Value {
        let kernel = |kernel: &KernelInfo| {
            let reason = if let Support::No(reason) = &kernel.support { Some(reason) } else { None };
            let KernelInfo { name, priority, .. } = kernel;
            json!({ "name": name, "priority": priority, "supported": reason.is_none(), "reason": reason })
        };
        json!({
            "op": self.op,
            "device": self.device,
            "inputs": self.inputs,
            "rows": self.rows,
            "kernels": self.kernels.iter().map(kernel).collect::<Vec<_>>(),
            "chosen": self.chosen(),
        })
    }
}

fn table(registry: &Registry, answers: &[Answer]) -> String {
    let mut out = String::new();
    for device in registry.devices() {
        let (name, workers) = (device.name(), device.workers());
        let memory = if device.store().is_some() { "its own memory" } else { "the host's memory" };
        // Writing to a string does not fail.
        let _ = writeln!(out, "device {name}: {workers} workers, {memory}");
    }
    for op in answers.chunk_by(|a, b| (a.op, a.device) == (b.op, b.device)) {
        let Some(first) = op.first() else { continue };
        let kernels: Vec<String> = first.kernels.iter().map(|k| format!("{} ({})", k.name, k.priority)).collect();
        let _ = writeln!(out, "\n{} on {}, kernels with priority: {}", first.op, first.device, kernels.join(", "));
        for same in op.chunk_by(|a, b| (&a.inputs, a.chosen()) == (&b.inputs, b.chosen())) {
            let [answer, ..] = same else { continue };
            let rows = if same.len() > 1 { "any".to_owned() } else { answer.rows.to_string() };
            let chosen = answer.chosen().unwrap_or("none");
            let _ = writeln!(out, "  {:<32} {rows:>4} rows  {chosen}", answer.inputs);
        }
    }
    out
}
