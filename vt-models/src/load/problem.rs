//! What keeps a file's model from being computed.

use std::fmt;

/// Something that keeps a file's model from being computed: a key or a tensor, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The file is at fault: its tensors and its metadata contradict each other.
    Fault(String),
    /// The file may be right: vt does not have what it asks for.
    Unsupported(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Fault(what) | Problem::Unsupported(what) => f.write_str(what),
        }
    }
}
