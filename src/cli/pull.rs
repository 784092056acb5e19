//! `vt pull`: fetching a model.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use vt::config::Config;
use vt::pull::{Remote, SOURCES, Step};

use super::progress::Progress;
use super::stop::Stop;
use super::text;

/// Fetch a model into the folder of models (VT_MODELS, or below the user's cache), checked by its sha256
#[derive(clap::Args)]
pub(super) struct Args {
    /// The model's name, or hf:OWNER/REPO/FILE.gguf
    name: String,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let remote = Remote::find(&args.name).map_err(Stop::usage)?;
    let path = fetched(&remote.ok_or_else(|| Stop::usage(no_name(&args.name)))?, config)?;
    Ok(text::show(format!("{}\n", path.display()).as_bytes())?)
}

/// That an argument is not what `vt pull` takes.
fn no_name(name: &str) -> String {
    let path = Path::new(name);
    if !path.exists() {
        return unknown(name);
    }
    let what = if path.is_dir() { "a folder" } else { "a file that is there, so nothing is to be fetched" };
    format!("{}: this is {what}; `vt pull` knows the models {}", shown(name), known())
}

/// That nothing is found under a name, and what there is.
pub(super) fn unknown(name: &str) -> String {
    format!("{}: no such file, and no model that `vt pull` knows: {}", shown(name), known())
}

fn known() -> String {
    let names = SOURCES.iter().map(|source| source.name).collect::<Vec<_>>().join(", ");
    format!("{names}, or hf:OWNER/REPO/FILE.gguf")
}

/// The start of a name: what is wrong with it must still be seen.
fn shown(name: &str) -> String {
    const LONGEST: usize = 200;
    let more = if name.chars().nth(LONGEST).is_some() { "..." } else { "" };
    name.chars().take(LONGEST).chain(more.chars()).collect()
}

/// The file of a model, which is fetched if it is not there.
pub(super) fn fetched(remote: &Remote, config: &Config) -> Result<PathBuf, Stop> {
    let folder = config.models.as_deref();
    let folder = folder.ok_or_else(|| Stop::failed("no folder for models: set VT_MODELS or HOME"))?;
    match remote.installed(folder) {
        Some(path) => Ok(path),
        None => fetch(remote, folder, config.hub.as_deref()),
    }
}

fn fetch(remote: &Remote, folder: &Path, hub: Option<&str>) -> Result<PathBuf, Stop> {
    // There is no one to tell if this fails.
    let _ = writeln!(io::stderr(), "fetching into {}", folder.display());
    let progress = Progress::new();
    let mut loading = String::new();
    let result = remote.pull(folder, hub, &mut |step| match step {
        Step::Download { name, number, of } => {
            let part = if of > 1 { format!(" ({number} of {of})") } else { String::new() };
            loading = format!("loading {name}{part}");
            progress.doing(&loading);
        }
        Step::Bytes { done, total } => progress.bytes(&loading, done, total),
        Step::Unpack => progress.doing(&format!("unpacking {}", loading.trim_start_matches("loading "))),
        Step::Check => progress.doing("checking"),
    });
    progress.end();
    Ok(result?)
}
