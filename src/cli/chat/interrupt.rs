//! Ctrl-C.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Stop;

/// Nothing is being answered: an interrupt leaves the program.
const IDLE: u8 = 0;
/// An answer is being made: an interrupt stops it.
const ANSWERING: u8 = 1;
/// The answer is to stop; one more interrupt leaves the program, should that take too long.
const STOPPING: u8 = 2;

/// The exit status of a process that an interrupt ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// What an interrupt does now.
pub(super) struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Takes over the signal.
    pub fn new() -> Result<Self, Stop> {
        let state = Arc::new(AtomicU8::new(IDLE));
        let shared = Arc::clone(&state);
        ctrlc::set_handler(move || {
            match shared.compare_exchange(ANSWERING, STOPPING, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => {}
                Err(IDLE) => process::exit(0),
                Err(_) => process::exit(INTERRUPTED),
            }
        })?;
        Ok(Self(state))
    }

    /// Runs what an interrupt is to stop.
    pub fn stops<T>(&self, answer: impl FnOnce() -> T) -> T {
        self.0.store(ANSWERING, Ordering::SeqCst);
        let answer = answer();
        self.0.store(IDLE, Ordering::SeqCst);
        answer
    }

    /// Whether the answer is to stop.
    pub fn is_stopping(&self) -> bool {
        self.0.load(Ordering::SeqCst) == STOPPING
    }
}
