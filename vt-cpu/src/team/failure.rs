//! The error that a pass returns.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use vt_core::RunError;
use vt_core::plan::{DeviceError, panic_message};

/// A worker's failure, and where it happened: how often it had waited, and which worker it is.
#[derive(Debug)]
pub(super) struct Failure {
    pub place: (usize, usize),
    pub error: RunError,
}

/// Keeps the earlier failure by (order of barriers, worker): which one came first in time is chance.
pub(super) fn keep_first(first: &mut Option<Failure>, new: Failure) {
    if first.as_ref().is_none_or(|first| new.place < first.place) {
        *first = Some(new);
    }
}

/// The error for a panic that no kernel's walk has caught.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> RunError {
    let message = format!("a worker panicked: {}", panic_message(&*panic));
    discard(panic);
    DeviceError { device: "cpu", message }.into()
}

/// Drops what a panic carried. Its destructor may panic as well; what that one carries is leaked.
fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}
