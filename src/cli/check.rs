//! `vt check`: whether a file is what it should be.

use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use vt::config::Config;
use vt::validate::{self, Report, Severity};

use super::model::Threads;
use super::stop::Stop;
use super::text;

/// Validate a file completely: the format, the metadata, the vocabulary, the model and every weight
///
/// Each finding is a line on standard output that starts with `error: ` or `warning: `. Without errors a line says so,
/// and the exit status is 0; with errors it is 1, and the line on standard error tells the first and how many there are.
/// Weights that are not finite, tensors that nothing uses, and what vt does not have (architectures, types of tensors,
/// tokenizers) are warnings.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A GGUF file; of a set of split files any one
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let target = args.threads.target(config)?;
    let bar = bar();
    let report = validate::file(&args.file, &target, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    text::show(listed(&report).as_bytes())?;
    let name = args.file.display();
    let counts = counts(&report);
    match report.of(Severity::Error).next() {
        Some(first) if report.findings.len() > 1 => Err(Stop::failed(format!("{name}: {}; {counts}", first.what))),
        Some(first) => Err(Stop::failed(format!("{name}: {}", first.what))),
        None => Ok(text::show(format!("{name}: {counts}\n").as_bytes())?),
    }
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

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes}");
    let bar = ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
