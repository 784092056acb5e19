//! `vt check`: whether a file is what it should be.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use vt::config::Config;
use vt::validate::{self, Report, Severity};

use super::model::{self, Threads};
use super::progress::Progress;
use super::stop::Stop;
use super::text;

/// Validate a file completely: the format, the metadata, the vocabulary, the model and every weight
#[derive(clap::Args)]
pub(super) struct Args {
    /// A GGUF file, of a set of split files any one; or a name that `vt pull` knows
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let target = args.threads.target(config)?;
    let path = model::file(&args.file, config)?;
    let progress = Progress::new();
    progress.doing("reading");
    let report = validate::file(&path, &target, |done, total| progress.bytes("checking", done, total));
    progress.end();
    let listed = if is_seen_on_its_own(&report) { Ok(()) } else { text::show(listed(&report).as_bytes()) };
    let name: String = path.display().to_string().chars().map(vt_gguf::printable).collect();
    let counts = counts(&report);
    match report.of(Severity::Error).next() {
        Some(first) if report.findings.len() > 1 => Err(Stop::failed(format!("{name}: {}; {counts}", first.what))),
        Some(first) => Err(Stop::failed(format!("{name}: {}", first.what))),
        // What is wrong with the file is told even if nobody reads what else was found.
        None => Ok(listed.and_then(|()| text::show(format!("{name}: {counts}\n").as_bytes()))?),
    }
}

/// Whether all that was found is what the command ends with, on the same terminal.
fn is_seen_on_its_own(report: &Report) -> bool {
    let one = matches!(&report.findings[..], [only] if only.severity == Severity::Error);
    one && io::stdout().is_terminal() && io::stderr().is_terminal()
}

fn listed(report: &Report) -> String {
    report.findings.iter().map(|finding| format!("{finding}\n")).collect()
}

fn counts(report: &Report) -> String {
    let count = |severity| match report.of(severity).count() {
        0 => format!("no {severity}s"),
        1 => format!("1 {severity}"),
        n => format!("{n} {severity}s"),
    };
    format!("{}, {}", count(Severity::Error), count(Severity::Warning))
}
