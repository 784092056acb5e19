//! `vt test-ops`: whether every kernel computes what its op defines.

use std::path::PathBuf;

use vt::check::{self, Filter, Goldens, Report};
use vt::config::Config;

use super::model::Threads;
use super::stop::Stop;
use super::text;

/// Replay the goldens and cases of ops on the devices' kernels; fails if one does
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only this op
    #[arg(short, long)]
    op: Option<String>,
    /// Only this device
    #[arg(long)]
    device: Option<String>,
    /// Only this kernel, by its name in `vt ops`
    #[arg(long)]
    kernel: Option<String>,
    #[command(flatten)]
    threads: Threads,
    /// Write the cases' manifests and inputs to a folder of goldens instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["device", "kernel", "bless"])]
    write_goldens: Option<PathBuf>,
    /// Write the digests of the portable kernels' results to a folder of goldens instead
    #[arg(long, value_name = "DIR", conflicts_with_all = ["device", "kernel"])]
    bless: Option<PathBuf>,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let registry = args.threads.registry(config)?;
    let op = args.op.as_deref();
    if let Some(folder) = &args.write_goldens {
        let count = check::write_inputs(&registry, folder, op)?;
        return Ok(text::show(format!("{count} cases\n").as_bytes())?);
    }
    let report = match &args.bless {
        Some(folder) => check::bless(&registry, folder, op)?,
        None => {
            let (device, kernel, goldens) = (args.device.clone(), args.kernel.clone(), Goldens::embedded());
            let missing = check::without_goldens(&registry, &goldens, op);
            if !missing.is_empty() {
                return Err(Stop::failed(format!("without goldens: {}; {ADVICE}", missing.join(", "))));
            }
            check::replay(&registry, &goldens, &Filter { op: args.op.clone(), device, kernel })
        }
    };
    let shown = text::show(format!("{report}\n").as_bytes());
    // What failed is told even if nobody reads the rest.
    verdict(&report)?;
    Ok(shown?)
}

/// What helps where goldens are missing.
const ADVICE: &str = "docs/adding-an-op.md tells how they are made, and vt is to be built again with them";

fn verdict(report: &Report) -> Result<(), Stop> {
    match report.failures().count() {
        0 if report.is_ok() => Ok(()),
        0 => Err(Stop::failed("nothing was computed: there is no such op, device or kernel, or it refuses every case")),
        failures => Err(Stop::failed(format!("{failures} of {} checks failed", report.checks.len()))),
    }
}
