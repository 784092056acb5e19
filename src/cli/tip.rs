//! Tips for those who know the arguments of other programs.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The error of a command's arguments, with what helps if one is unknown that other programs have.
pub(super) fn with_tip(command: &str, mut error: Error) -> Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::UnknownArgument => name.as_str(),
        _ => return error,
    };
    let tip = match unknown {
        "-m" | "--model" => format!("the model is given without a flag: vt {command} MODEL"),
        "-p" | "--prompt" if command == "chat" => {
            "questions are typed, or lines of standard input; `vt run` takes -p".to_owned()
        }
        _ => return error,
    };
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}
