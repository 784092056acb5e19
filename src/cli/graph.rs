//! `vt graph`: how a model is planned.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::json;
use vt::config::Config;
use vt_core::op::{Attend, DeltaRule, Op};
use vt_core::plan::{Description, StepDescription};

use super::model::ModelArgs;
use super::stop::Stop;
use super::{json_text, text};

/// Show how a model is planned
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Write the graph of decoding one token in Graphviz's language
    #[arg(short, long, value_name = "FILE.dot")]
    output: Option<PathBuf>,
    /// Print {"steps", "barriers_per_layer", "arena_bytes", "fused", "unfused"}: the steps of decoding one token, the
    /// most barriers from one layer to the next in any class of passes
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let gguf = args.model.open(config)?;
    let outline = args.model.outline(&gguf, config)?;
    let plan = outline.plan.map_err(|error| args.model.named(error))?;
    if let Some(path) = &args.output {
        args.model.refuse_overwriting(&gguf, path)?;
        let dot = plan.dot(0).unwrap_or_default();
        fs::write(path, dot).map_err(|error| Stop::failed(format!("{}: {error}", path.display())))?;
    }
    let description = plan.describe();
    let layers = outline.hparams.layers;
    let out = if args.json { json(&description) } else { table(&description, layers) };
    Ok(text::show(out.as_bytes())?)
}

/// The most barriers of any class of passes from one layer's attention, or recurrence, to the next one's.
fn barriers_per_layer(plan: &Description) -> usize {
    let mixes = |step: &StepDescription| [Attend::NAME, DeltaRule::NAME].contains(&step.op);
    let most = |steps: &[StepDescription]| {
        let layers = steps.split_inclusive(mixes).skip(1);
        let whole = layers.filter(|layer| layer.last().is_some_and(mixes));
        whole.map(|layer| layer.iter().filter(|step| step.barrier).count()).max().unwrap_or(0)
    };
    plan.schedules.iter().map(|s| most(&s.steps)).max().unwrap_or(0)
}

fn json(plan: &Description) -> String {
    json_text::lines(&json!({
        "steps": plan.schedules.first().map_or(0, |s| s.steps.len()),
        "barriers_per_layer": barriers_per_layer(plan),
        "arena_bytes": plan.arena_bytes,
        "fused": plan.fusions.fused,
        "unfused": plan.fusions.unfused,
    }))
}

fn table(plan: &Description, layers: usize) -> String {
    let mut lines = vec![format!("{layers} layers on {}", plan.device)];
    lines.push(format!("{:>8} {:>8} {:>8} {:>8} {:>14}", "rows", "logits", "steps", "barriers", "arena bytes"));
    lines.extend(plan.schedules.iter().map(|s| {
        let (t, r) = (s.sizes.t, s.sizes.r);
        format!("{t:>8} {r:>8} {:>8} {:>8} {:>14}", s.steps.len(), s.barriers, s.arena_bytes)
    }));
    lines.push(format!("barriers per layer: {}", barriers_per_layer(plan)));
    lines.push(format!("fused: {}", counts(&plan.fusions.fused)));
    lines.push(format!("left alone: {}", counts(&plan.fusions.unfused)));
    lines.extend(
        plan.fallbacks.iter().map(|f| format!("on {} instead: {} of ({})", f.device, f.missing.op, f.missing.inputs)),
    );
    lines.push("decoding one token:".to_owned());
    lines.extend(plan.schedules.first().map_or(&[][..], |s| &s.steps).iter().map(|step| {
        let barrier = if step.barrier { "|" } else { " " };
        format!("  {barrier} {:<18} {:<32} {}", step.op, step.kernel, step.outputs.join(", "))
    }));
    lines.join("\n") + "\n"
}

fn counts(of: &BTreeMap<&'static str, usize>) -> String {
    let list: Vec<String> = of.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if list.is_empty() { "nothing".to_owned() } else { list.join(", ") }
}
