//! What is wrong with a file, and where.

use std::fmt;
use std::io;
use std::sync::Arc;

use thiserror::Error;
use vt_core::TensorError;

use crate::cursor::At;

/// A GGUF file could not be read, or does not hold what was asked for.
#[derive(Debug, Error)]
#[error("{file}: {fault}")]
pub struct GgufError {
    /// The file; of a set of split files the one with the fault.
    pub file: Arc<str>,
    /// What is wrong.
    pub fault: Box<Fault>,
}

impl GgufError {
    pub(crate) fn new(file: &Arc<str>, fault: Fault) -> Self {
        Self { file: Arc::clone(file), fault: Box::new(fault) }
    }
}

/// What is wrong with a file. Offsets are bytes from its start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The first bytes are not `GGUF`.
    #[error("not a GGUF file: {cause}")]
    NotGguf {
        /// What it seems to be.
        cause: &'static str,
    },
    /// The version is neither 2 nor 3.
    #[error("GGUF versions 2 and 3 are supported, found {version}: {cause}")]
    Version {
        /// The version in the file.
        version: u32,
        /// What that means.
        cause: &'static str,
    },
    /// The file ends before something does.
    #[error("{place} at byte {offset}: expected {needed} more bytes, found {left}: the file is cut short or damaged")]
    Truncated {
        /// What is being read.
        place: Place,
        /// Where.
        offset: u64,
        /// The bytes it needs.
        needed: u64,
        /// The bytes left.
        left: u64,
    },
    /// Something breaks a rule of the format, or a metadata value is not what was asked for.
    #[error("{place} at byte {offset}: expected {expected}, found {found}")]
    Invalid {
        /// What.
        place: Place,
        /// Where it is.
        offset: u64,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// Two tensors share bytes.
    #[error(
        "tensor `{second}` at byte {offset}: expected it after the end of tensor `{first}` at byte {end}, found it inside"
    )]
    Overlap {
        /// The tensor that starts first.
        first: String,
        /// The other one.
        second: String,
        /// Where `second` starts.
        offset: u64,
        /// Where `first` ends.
        end: u64,
    },
    /// A metadata key that is needed is not there.
    #[error("metadata key `{key}` is missing: expected {expected}")]
    MissingKey {
        /// The key.
        key: String,
        /// What its value should be.
        expected: String,
    },
    /// A tensor that is needed is not there.
    #[error("tensor `{name}` is missing")]
    MissingTensor {
        /// The name.
        name: String,
    },
    /// Files of a set are not there.
    #[error("{} of the set's {count} files are missing: {}", .missing.len(), list(.missing))]
    MissingShards {
        /// The number of files in the set.
        count: u16,
        /// The names of those that are missing.
        missing: Vec<String>,
    },
    /// A tensor is of a type that vt does not know.
    #[error("tensor `{name}` at byte {offset}: {tensor_type} tensors are not supported")]
    UnsupportedType {
        /// The tensor.
        name: String,
        /// Where its bytes start.
        offset: u64,
        /// The type's name.
        tensor_type: &'static str,
    },
    /// A tensor could not be made.
    #[error("tensor `{name}` at byte {offset}: {error}")]
    Tensor {
        /// The tensor.
        name: String,
        /// Where its bytes start.
        offset: u64,
        /// Why not.
        error: TensorError,
    },
    /// The file became shorter after it was opened.
    #[error("the file had {expected} bytes when it was opened, now it has {found}")]
    Shrunk {
        /// Its length when it was opened.
        expected: u64,
        /// Its length now.
        found: u64,
    },
}

impl Fault {
    /// The metadata key that is wrong or missing, if it is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Fault::Invalid { place: Place::Key(key), .. } | Fault::MissingKey { key, .. } => Some(key),
            _ => None,
        }
    }
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first 24 bytes.
    Header,
    /// The metadata entry of that number, from 0, whose key is not known yet.
    Entry(u64),
    /// The metadata entry of that key.
    Key(String),
    /// The tensor info of that number, from 0, whose name is not known yet.
    TensorEntry(u64),
    /// The tensor of that name.
    Tensor(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => f.write_str("header"),
            Place::Entry(i) => write!(f, "metadata entry {i}"),
            Place::Key(key) => write!(f, "metadata key `{key}`"),
            Place::TensorEntry(i) => write!(f, "tensor info {i}"),
            Place::Tensor(name) => write!(f, "tensor `{name}`"),
        }
    }
}

impl From<At<'_>> for Place {
    fn from(at: At<'_>) -> Self {
        match at {
            At::Header => Place::Header,
            At::Entry(i) => Place::Entry(i),
            At::Key(key) => Place::Key(shown(key)),
            At::TensorEntry(i) => Place::TensorEntry(i),
            At::Tensor(name) => Place::Tensor(shown(name)),
        }
    }
}

/// A character as a terminal may be given it: controls, and what changes the direction of text, are replaced.
pub fn printable(c: char) -> char {
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || direction { char::REPLACEMENT_CHARACTER } else { c }
}

/// The most bytes of a file's text that a message repeats.
const SHOWN: usize = 80;

/// Text of a file as a message may show it: not too long, nothing that a terminal would act on.
pub(crate) fn shown(text: &[u8]) -> String {
    let head = text.get(..SHOWN).unwrap_or(text);
    let more = if text.len() > SHOWN { "..." } else { "" };
    let text = String::from_utf8_lossy(head);
    text.chars().map(printable).chain(more.chars()).collect()
}

fn list(names: &[String]) -> String {
    const LISTED: usize = 8;
    let head = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(LISTED) {
        None | Some(0) => head,
        Some(more) => format!("{head} and {more} more"),
    }
}
