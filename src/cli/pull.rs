//! `vt pull`: fetching a model.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;
use vt::config::Config;
use vt::pull::{SOURCES, Source, Stage};

use super::stop::Stop;
use super::text;

/// Fetch a model into the folder of models (VT_MODELS, or below the user's cache), checked by its sha256
#[derive(clap::Args)]
pub(super) struct Args {
    /// The model's name
    name: String,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let source = Source::find(&args.name)
        .ok_or_else(|| Stop::usage(format!("no model is named `{}`; there are: {}", args.name, names())))?;
    let path = fetched(source, config)?;
    Ok(text::show(format!("{}\n", path.display()).as_bytes())?)
}

/// The names of the models that can be fetched.
pub(super) fn names() -> String {
    SOURCES.iter().map(|source| source.name).collect::<Vec<_>>().join(", ")
}

/// The file of a model, which is fetched if it is not there.
pub(super) fn fetched(source: &Source, config: &Config) -> Result<PathBuf, Stop> {
    let folder = config.models.as_deref();
    let folder = folder.ok_or_else(|| Stop::failed("no folder for models: set VT_MODELS or HOME"))?;
    match source.installed(folder) {
        Some(path) => Ok(path),
        None => fetch(source, folder),
    }
}

fn fetch(source: &Source, folder: &Path) -> Result<PathBuf, Stop> {
    // There is no one to tell if this fails.
    let _ = writeln!(io::stderr(), "fetching {} into {}", source.name, folder.display());
    let spinner = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    spinner.enable_steady_tick(Duration::from_millis(100));
    let result = source.pull(folder, |stage| spinner.set_message(doing(stage)));
    spinner.finish_and_clear();
    Ok(result?)
}

fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Download => "downloading",
        Stage::Unpack => "unpacking",
        Stage::Check => "checking",
    }
}
