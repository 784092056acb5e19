//! The barrier of a team.

use vt_core::plan::{Barrier, Poisoned};

use super::sync::{AtomicUsize, Ordering, Padded};
use super::turn::{Patience, Turn};

/// A worker is inside `wait`.
const INSIDE: usize = 1;
const CALL: usize = 2;

/// Where the workers of a team wait for each other.
///
/// Each turn of the counter is one barrier. A worker adds itself to those that have arrived and waits for the turn to
/// pass; the last one to arrive passes it, which in the same step empties the arrivals. A worker leaves the pass by
/// closing the counter, whether it failed or is done.
///
/// **`Ok` means that all have arrived as often.** By induction over the turns: when turn k begins, every worker has
/// called k times and nobody has arrived. A worker arrives at most once in turn k: it cannot return from that call with
/// `Ok` before the turn has passed; after `Poisoned` the counter stays closed, and who finds it closed takes itself out
/// and passes nothing; and two calls at a time for one worker are refused. So the arrivals of an open counter come to
/// all only when all have made call k + 1, and only then does the turn pass.
///
/// **What was written before is visible.** Each arrival is a read-modify-write that releases and acquires, so the last
/// one has seen what all the others wrote; it releases that with the turn, which all others acquire.
///
/// **Closing ends all waits, and none that was complete.** A worker that leaves has returned from its last barrier, k,
/// so all have arrived there: turn k has passed. Those still on their way out of it see that it has, because the
/// counter tells them this before it tells them that it is closed, and go on. Barrier k + 1 can never be complete, so
/// every call for it may end with `Poisoned`, whether the caller finds the counter closed or waits when it is closed.
/// So all workers come equally far: those that fail by themselves fail between the same two barriers in every run.
#[derive(Debug)]
pub(super) struct TeamBarrier {
    patience: Patience,
    turn: Padded<Turn>,
    /// For each worker, how often it called in this pass, and whether it is inside.
    calls: Box<[Padded<AtomicUsize>]>,
}

// SAFETY: the proof is at the type. The turn passes when as many have arrived as there are workers, `calls.len()`.
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
        Self { patience, turn: Padded(Turn::new()), calls }
    }

    pub fn workers(&self) -> usize {
        self.calls.len()
    }

    /// Makes ready for a pass. No worker may be in one.
    pub fn open(&self) {
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
        let turn = &self.turn.0;
        match turn.arrive(self.workers()) {
            Ok(None) => Ok(()),
            Ok(Some(seen)) => turn.wait(seen, self.patience).map(|_| ()).map_err(|_| Poisoned),
            Err(_) => Err(Poisoned),
        }
    }
}
