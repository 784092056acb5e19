//! The command line of vt.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
