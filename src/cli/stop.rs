//! Why a command ends before it is done.

use std::error::Error;
use std::io;

/// Why a command ends before it is done.
#[derive(Debug)]
pub(super) enum Stop {
    /// It was asked for something that cannot be: exit status 2.
    Usage(String),
    /// It failed: exit status 1.
    Failed(String),
    /// Nobody reads its output any more, which is no failure.
    Closed,
    /// Ctrl-C stopped it, and what there was to say is said.
    Interrupted,
}

impl Stop {
    pub(super) fn usage(what: impl ToString) -> Self {
        Stop::Usage(what.to_string())
    }

    pub(super) fn failed(what: impl ToString) -> Self {
        Stop::Failed(what.to_string())
    }
}

impl<E: Error + 'static> From<E> for Stop {
    fn from(error: E) -> Self {
        let io = (&error as &(dyn Error + 'static)).downcast_ref::<io::Error>();
        if io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) { Stop::Closed } else { Stop::failed(error) }
    }
}
