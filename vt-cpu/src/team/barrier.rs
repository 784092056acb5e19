//! The barrier of a team.

use vt_core::plan::{Barrier, Poisoned};

use super::sync::{AtomicUsize, Ordering, Padded};
use super::turn::{Patience, Turn};

/// A worker is inside `wait`.
const INSIDE: usize = 1;
const CALL: usize = 2;

/// Where the workers of a team wait for each other.
///
/// Each turn of the counter is one barrier. A worker notes the turn, adds itself to `arrived`, and waits for the turn
/// to pass; the last one to arrive empties `arrived` and passes the turn. A worker leaves the pass by closing the
/// counter, whether it failed or is done.
///
/// **`Ok` means that all have arrived as often.** By induction over the turns: when turn k begins, every worker has
/// called k times and `arrived` is 0. A worker adds itself at most once to turn k: it cannot return from that call with
/// `Ok` before the turn has passed; after `Poisoned` the counter stays closed, and further calls return before they
/// add; and two calls at a time for one worker are refused. So `arrived` comes to `size` only when all have made call
/// k + 1, and only then does the turn pass. The one who passes it empties `arrived` first, and nobody adds to the next
/// turn without having seen this one pass.
///
/// **What was written before is visible.** Each arrival is a read-modify-write of `arrived` that releases and acquires,
/// so the last one has seen what all the others wrote; it releases that with the turn, which all others acquire.
///
/// **Closing ends all waits, and none that was complete.** A worker that leaves has returned from its last barrier, k,
/// so all have arrived there: turn k has passed. Those still on their way out of it see that it has, because the
/// counter tells them this before it tells them that it is closed, and go on. Barrier k + 1 can never be complete, so
/// every call for it may end with `Poisoned`, whether the caller finds the counter closed or waits when it is closed.
/// So all workers come equally far: those that fail by themselves fail between the same two barriers in every run.
#[derive(Debug)]
pub(super) struct TeamBarrier {
    patience: Patience,
    arrived: Padded<AtomicUsize>,
    turn: Padded<Turn>,
    /// For each worker, how often it called in this pass, and whether it is inside.
    calls: Box<[Padded<AtomicUsize>]>,
}

// SAFETY: the proof is at the type. `arrived` counts to the number of workers, `calls.len()`.
unsafe impl Barrier for TeamBarrier {
    fn wait(&self, worker: usize) -> Result<(), Poisoned> {
        let calls = &self.calls[worker].0;
        let before = calls.fetch_or(INSIDE, Ordering::Relaxed);
        assert!(before & INSIDE == 0, "worker {worker} waits twice at a time");
        let end = self.arrive();
        calls.store(before + CALL, Ordering::Relaxed);
        end
    }
}

impl TeamBarrier {
    pub fn new(workers: usize, patience: Patience) -> Self {
        let calls = (0..workers).map(|_| Padded(AtomicUsize::new(0))).collect();
        Self { patience, arrived: Padded(AtomicUsize::new(0)), turn: Padded(Turn::new()), calls }
    }

    pub fn workers(&self) -> usize {
        self.calls.len()
    }

    /// Makes ready for a pass. No worker may be in one.
    pub fn open(&self) {
        self.arrived.0.store(0, Ordering::Relaxed);
        for calls in &self.calls {
            calls.0.store(0, Ordering::Relaxed);
        }
        self.turn.0.open();
    }

    /// A worker leaves the pass: all that wait for it do so in vain.
    pub fn close(&self) {
        if !self.turn.0.is_closed() {
            self.turn.0.close();
        }
    }

    /// How often the worker has called in this pass.
    pub fn calls(&self, worker: usize) -> usize {
        self.calls[worker].0.load(Ordering::Relaxed) / CALL
    }

    fn arrive(&self) -> Result<(), Poisoned> {
        if self.turn.0.is_closed() {
            return Err(Poisoned);
        }
        let seen = self.turn.0.now();
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 < self.workers() {
            return self.turn.0.wait(seen, self.patience).map(|_| ()).map_err(|_| Poisoned);
        }
        self.arrived.0.store(0, Ordering::Relaxed);
        self.turn.0.advance();
        Ok(())
    }
}
