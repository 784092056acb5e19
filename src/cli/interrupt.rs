//! Ctrl-C.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::stop::Stop;

/// There is nothing to stop: an interrupt leaves the program.
const IDLE: u8 = 0;
/// A text is being made: an interrupt stops it.
const WRITING: u8 = 1;
/// The text is to stop; one more interrupt leaves the program, should that take too long.
const STOPPING: u8 = 2;

/// The exit status of a process that an interrupt ended, as shells have it.
pub(super) const INTERRUPTED: u8 = 130;

/// What an interrupt does now.
pub(super) struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Takes over the signal. Where there is nothing to stop, the program leaves with the exit status `idle`.
    pub fn new(idle: u8) -> Result<Self, Stop> {
        let state = Arc::new(AtomicU8::new(IDLE));
        let shared = Arc::clone(&state);
        ctrlc::set_handler(move || {
            match shared.compare_exchange(WRITING, STOPPING, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => {}
                Err(IDLE) => process::exit(idle.into()),
                Err(_) => process::exit(INTERRUPTED.into()),
            }
        })?;
        Ok(Self(state))
    }

    /// Runs what an interrupt is to stop.
    pub fn stops<T>(&self, answer: impl FnOnce() -> T) -> T {
        self.writing();
        let answer = answer();
        self.0.store(IDLE, Ordering::SeqCst);
        answer
    }

    /// From now on there is something to stop.
    pub fn writing(&self) {
        // If it is to stop already, it stays so.
        let _ = self.0.compare_exchange(IDLE, WRITING, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether the text is to stop.
    pub fn is_stopping(&self) -> bool {
        self.0.load(Ordering::SeqCst) == STOPPING
    }
}
