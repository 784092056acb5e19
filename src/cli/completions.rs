//! `vt completions`: what a shell needs to complete the arguments.

use clap_complete::Shell;

use super::stop::Stop;
use super::{help, text};

/// Write a script that completes vt's arguments in a shell
#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<(), Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "vt", &mut script);
    Ok(text::show(&script)?)
}
