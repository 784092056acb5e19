//! Numbers as arguments.

use std::any::TypeId;
use std::str::FromStr;

use clap::builder::ValueParser;
use clap::{Arg, Command};

/// Lets every option take what looks like a number below 0 for its value, not for another option; what it may be, is then
/// said of the value.
pub(super) fn understood(command: Command) -> Command {
    command.mut_subcommands(|command| command.mut_args(of_argument))
}

fn of_argument(arg: Arg) -> Arg {
    if arg.is_positional() || !arg.get_action().takes_values() || arg.is_allow_hyphen_values_set() {
        return arg;
    }
    let arg = arg.allow_negative_numbers(true);
    let parsed = arg.get_value_parser().type_id();
    if parsed == TypeId::of::<usize>() {
        arg.value_parser(ValueParser::new(whole::<usize>))
    } else if parsed == TypeId::of::<u64>() {
        arg.value_parser(ValueParser::new(whole::<u64>))
    } else {
        arg
    }
}

fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number from 0 on".to_owned())
}
