//! `vt bench-ops`: how fast each kernel is by itself.

use std::sync::Arc;

use serde_json::{Value, json};
use vt::config::Config;
use vt::measure::{self, Effort, Measurement, Speed};
use vt_core::op::{AnyCase, OpEntry};
use vt_core::registry::{Device, Registry};
use vt_cpu::Limits;

use super::model::Threads;
use super::stop::Stop;
use super::{json_text, limits, text};

/// Measure each kernel that this machine can run by itself, beside the machine's limits
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only this op
    #[arg(short, long)]
    op: Option<String>,
    /// Only kernels whose name contains this
    #[arg(long, value_name = "PART", default_value = "")]
    kernel: String,
    #[command(flatten)]
    threads: Threads,
    /// Run each kernel once on small examples; measure nothing
    #[arg(long)]
    smoke: bool,
    /// Print {"limits", "kernels": [{"op", "device", "case", "kernel", "calls", "seconds", "bytes", "operations", "gb_s",
    /// "gop_s", "limit", "limit_share"}]}; without limits and speeds with --smoke
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let registry = args.threads.registry(config)?;
    if let Some(wanted) = args.op.as_deref().filter(|wanted| registry.ops().iter().all(|op| op.name != *wanted)) {
        return Err(Stop::failed(format!("there is no op `{wanted}`: `vt ops` lists them")));
    }
    let limits = if args.smoke { None } else { Some(limits::measure(args.threads.cpu(config))?) };
    let mut report = Report { json: args.json, limits, rows: Vec::new(), op: "" };
    report.begin()?;
    for op in registry.ops().iter().filter(|op| args.op.as_deref().is_none_or(|wanted| wanted == op.name)) {
        for case in if args.smoke { (op.cases)() } else { (op.benches)() } {
            for device in registry.devices() {
                measure(args, &registry, op, &case, &**device, &mut report)?;
            }
        }
    }
    report.end()
}

fn measure(
    args: &Args,
    registry: &Arc<Registry>,
    op: &OpEntry,
    case: &AnyCase,
    device: &dyn Device,
    report: &mut Report,
) -> Result<(), Stop> {
    let effort = if args.smoke { Effort::Once } else { Effort::Best };
    let found = measure::case(registry, device, case, &args.kernel, effort)?;
    found.into_iter().try_for_each(|measurement| report.add(op.name, device.name(), &case.name, &measurement))
}

/// What is printed: a table row by row as it comes, or all at the end.
struct Report {
    json: bool,
    limits: Option<Limits>,
    rows: Vec<Value>,
    /// The op of the last row.
    op: &'static str,
}

impl Report {
    fn begin(&self) -> Result<(), Stop> {
        match &self.limits {
            Some(limits) if !self.json => Ok(text::show(format!("{}\n", limits::line(limits)).as_bytes())?),
            _ => Ok(()),
        }
    }

    fn add(&mut self, op: &'static str, device: &str, case: &str, found: &Measurement) -> Result<(), Stop> {
        let Measurement { kernel, cost, seconds, calls } = found;
        let speed = self.limits.as_ref().and_then(|limits| Speed::new(*cost, *seconds, limits));
        let mut row = json!({ "op": op, "device": device, "case": case, "kernel": kernel, "calls": calls });
        row["bytes"] = json!(cost.bytes);
        row["operations"] = json!(cost.operations);
        if self.limits.is_some() {
            row["seconds"] = json!(seconds);
            limits::add_json(speed, &mut row);
        }
        self.rows.push(row);
        if self.json {
            return Ok(());
        }
        let mut lines = String::new();
        if self.op != op {
            lines = format!("\n{op} on {device}\n  {:<28} {:<28}", "case", "kernel");
            lines += &if speed.is_some() { format!(" {:>12} {}\n", "us", limits::HEADS) } else { "\n".to_owned() };
            self.op = op;
        }
        let time = if self.limits.is_some() { format!("{:>12.2}", seconds * 1e6) } else { String::new() };
        let line = format!("  {case:<28} {kernel:<28} {time} {}", limits::cells(speed));
        Ok(text::show(format!("{lines}{}\n", line.trim_end()).as_bytes())?)
    }

    fn end(self) -> Result<(), Stop> {
        if self.rows.is_empty() {
            return Err(Stop::failed("nothing was measured: there is no such kernel, or it refuses every case"));
        }
        if self.json {
            let all = json!({ "limits": self.limits.as_ref().map(limits::json), "kernels": self.rows });
            text::show(json_text::lines(&all).as_bytes())?;
        }
        Ok(())
    }
}
