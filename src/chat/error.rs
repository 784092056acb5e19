//! Why a template gives no text.

use minijinja::{Error, ErrorKind};
use thiserror::Error;
use vt_gguf::GgufError;

use super::environment::Raised;

/// A conversation could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The file has no template, or none of that name.
    #[error("the file has no chat template{}", listed(.wanted, .names))]
    Missing {
        /// The name that was asked for; `None` for the template without one.
        wanted: Option<String>,
        /// The templates that the file does have.
        names: Vec<String>,
    },
    /// The file's key is not text.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The template is longer than [`super::MAX_TEMPLATE_BYTES`].
    #[error("the chat template has {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// The most that are read.
        limit: usize,
    },
    /// The template is not one.
    #[error("chat template, line {line}: {what}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// The template refuses the conversation (`raise_exception`).
    #[error("the chat template refuses the conversation: {0}")]
    Refused(String),
    /// The template does not end, or writes without measure.
    #[error("the chat template does not end, or writes too much: given up after {limit} steps")]
    Exhausted {
        /// The steps that it had: each an instruction, or 64 bytes of text.
        limit: u64,
    },
    /// The template writes far more than the conversation holds.
    #[error("the chat template writes {bytes} bytes; at most {limit} are taken for this conversation")]
    TextTooLong {
        /// The bytes that it writes.
        bytes: usize,
        /// The most that are taken.
        limit: usize,
    },
    /// The conversation uses every character that could mark what its speakers say.
    #[error("the conversation uses all characters of private use")]
    NoMark,
    /// The template cannot be carried out.
    #[error("chat template, line {line}: {what}")]
    Failed {
        /// Where, from 1; 0 if that is not known.
        line: usize,
        /// What is wrong there.
        what: String,
    },
}

fn listed(wanted: &Option<String>, names: &[String]) -> String {
    let wanted = wanted.as_ref().map(|name| format!(" named `{name}`")).unwrap_or_default();
    if names.is_empty() { wanted } else { format!("{wanted}; it has: {}", names.join(", ")) }
}

impl TemplateError {
    /// What minijinja says, where a template had `fuel`.
    pub(super) fn new(error: &Error, fuel: u64) -> Self {
        let line = error.line().unwrap_or(0);
        match error.kind() {
            ErrorKind::OutOfFuel => Self::Exhausted { limit: fuel },
            ErrorKind::SyntaxError | ErrorKind::BadEscape => Self::Syntax { line, what: said(error) },
            _ => match Raised::of(error) {
                Some(message) => Self::Refused(message.to_owned()),
                None => Self::Failed { line, what: said(error) },
            },
        }
    }
}

fn said(error: &Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}
