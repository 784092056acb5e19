//! The commands of `vt`: one file each.

mod bench;
mod bench_ops;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod bus_error;
mod chat;
mod check;
mod completions;
mod detokenize;
mod eval;
mod graph;
mod help;
mod ids;
mod inspect;
mod interrupt;
mod json_text;
mod limits;
mod memory;
mod message;
mod model;
mod numbers;
mod ops;
mod perplexity;
mod profile;
mod progress;
mod pull;
mod run;
mod sampling;
mod stop;
mod test_ops;
mod text;
mod tip;
mod tokenize;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};
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
    Chat(chat::Args),
    Eval(eval::Args),
    Perplexity(perplexity::Args),
    Tokenize(tokenize::Args),
    Detokenize(detokenize::Args),
    Bench(bench::Args),
    Inspect(inspect::Args),
    Check(check::Args),
    Ops(ops::Args),
    TestOps(test_ops::Args),
    BenchOps(bench_ops::Args),
    Graph(graph::Args),
    Profile(profile::Args),
    Pull(pull::Args),
    Completions(completions::Args),
}

impl Command {
    fn run(&self, config: &Config) -> Result<(), Stop> {
        match self {
            Command::Run(args) => run::run(args, config),
            Command::Chat(args) => chat::run(args, config),
            Command::Eval(args) => eval::run(args, config),
            Command::Perplexity(args) => perplexity::run(args, config),
            Command::Tokenize(args) => tokenize::run(args, config),
            Command::Detokenize(args) => detokenize::run(args, config),
            Command::Bench(args) => bench::run(args, config),
            Command::Inspect(args) => inspect::run(args, config),
            Command::Check(args) => check::run(args, config),
            Command::Ops(args) => ops::run(args, config),
            Command::TestOps(args) => test_ops::run(args, config),
            Command::BenchOps(args) => bench_ops::run(args, config),
            Command::Graph(args) => graph::run(args, config),
            Command::Profile(args) => profile::run(args, config),
            Command::Pull(args) => pull::run(args, config),
            Command::Completions(args) => completions::run(args),
        }
    }
}

/// Runs the command that the arguments name: exit status 0, 1 (it failed) or 2 (it cannot be asked for).
pub(crate) fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    bus_error::explain();
    let arguments = long_spellings(env::args_os());
    let result = match parse(arguments) {
        Ok(cli) => Config::from_env().map_err(Stop::usage).and_then(|config| cli.command.run(&config)),
        Err(error) if error.use_stderr() => {
            // There is no one to tell if this fails.
            let _ = error.print();
            return ExitCode::from(2);
        }
        // Help and version are errors to the parser.
        Err(error) => error.print().and_then(|()| io::stdout().flush()).map_err(|error| text::refused(error).into()),
    };
    match result {
        Ok(()) | Err(Stop::Closed) => ExitCode::SUCCESS,
        Err(Stop::Interrupted) => ExitCode::from(interrupt::INTERRUPTED),
        Err(Stop::Failed(why)) => report(&why, 1),
        Err(Stop::Usage(why)) => report(&why, 2),
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let name = arguments.get(1).and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let matches = numbers::understood(help::command()).try_get_matches_from(arguments);
    let matches = matches.map_err(|error| tip::with_tip(&name, error))?;
    Cli::from_arg_matches(&matches)
}

/// llama.cpp's flags of more than one letter behind one dash, except where they are texts: behind `--`, or as the value
/// of a flag that takes any text.
fn long_spellings(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (mut flags, mut value) = (true, false);
    let spell = |argument: OsString| {
        let is_flag = flags && !value;
        let name = argument.to_str().unwrap_or_default();
        flags &= value || name != "--";
        value = is_flag && matches!(name, "-p" | "--prompt" | "--stop" | "--system");
        match name {
            "-ctk" if is_flag => "--cache-type-k".into(),
            "-ctv" if is_flag => "--cache-type-v".into(),
            _ => argument,
        }
    };
    arguments.map(spell).collect()
}

fn report(why: &str, status: u8) -> ExitCode {
    message::say("error", why);
    ExitCode::from(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(arguments: &[&str]) -> Vec<OsString> {
        long_spellings(arguments.iter().map(OsString::from))
    }

    #[test]
    fn only_flags_are_spelled_anew() {
        assert_eq!(spelled(&["run", "-ctk", "f32", "-ctv"]), ["run", "--cache-type-k", "f32", "--cache-type-v"]);
        for text in [["-p", "-ctk"], ["--prompt", "-ctv"], ["--stop", "-ctk"], ["--", "-ctk"]] {
            assert_eq!(spelled(&text), text);
        }
        assert_eq!(spelled(&["-p", "--", "-ctk"]), ["-p", "--", "--cache-type-k"]);
    }
}
