//! The commands of `vt`: one file each.

mod bench;
mod detokenize;
mod eval;
mod graph;
mod ids;
mod inspect;
mod memory;
mod model;
mod ops;
mod pull;
mod run;
mod stop;
mod test_ops;
mod text;
mod tokenize;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::{env, io};

use clap::{Parser, Subcommand};
use vt::config::Config;

use stop::Stop;

#[derive(Parser)]
#[command(name = "vt", version, about = "Runs GGUF models on the CPU, in the blocks of their files")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Eval(eval::Args),
    Tokenize(tokenize::Args),
    Detokenize(detokenize::Args),
    Bench(bench::Args),
    Inspect(inspect::Args),
    Ops(ops::Args),
    TestOps(test_ops::Args),
    Graph(graph::Args),
    Pull(pull::Args),
}

impl Command {
    fn run(&self, config: &Config) -> Result<(), Stop> {
        match self {
            Command::Run(args) => run::run(args, config),
            Command::Eval(args) => eval::run(args, config),
            Command::Tokenize(args) => tokenize::run(args, config),
            Command::Detokenize(args) => detokenize::run(args, config),
            Command::Bench(args) => bench::run(args, config),
            Command::Inspect(args) => inspect::run(args, config),
            Command::Ops(args) => ops::run(args, config),
            Command::TestOps(args) => test_ops::run(args, config),
            Command::Graph(args) => graph::run(args, config),
            Command::Pull(args) => pull::run(args, config),
        }
    }
}

/// Runs the command that the arguments name: exit status 0, 1 (it failed) or 2 (it cannot be asked for).
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse_from(env::args_os().map(long_spelling));
    let result = Config::from_env().map_err(Stop::usage).and_then(|config| cli.command.run(&config));
    match result {
        Ok(()) | Err(Stop::Closed) => ExitCode::SUCCESS,
        Err(Stop::Failed(why)) => report(&why, 1),
        Err(Stop::Usage(why)) => report(&why, 2),
    }
}

/// llama.cpp's flags of more than one letter behind one dash.
fn long_spelling(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-ctk") => "--cache-type-k".into(),
        Some("-ctv") => "--cache-type-v".into(),
        _ => argument,
    }
}

fn report(why: &str, status: u8) -> ExitCode {
    let line: Vec<&str> = why.lines().map(str::trim).collect();
    // There is no one to tell if this fails.
    let _ = writeln!(io::stderr(), "error: {}", line.join(" "));
    ExitCode::from(status)
}
