//! The workers of a device, as the walk sees them.

use std::fmt;

use crate::RunError;

/// Another worker of the pass failed; this one stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poisoned;

/// Where the workers of a pass wait for each other.
///
/// # Safety
/// `wait` returns `Ok` only after every worker of the team has called it as often as this one, and everything that
/// they wrote before is visible to this one.
pub unsafe trait Barrier: Sync {
    /// Waits for all workers.
    ///
    /// # Errors
    /// [`Poisoned`] if a worker failed: then this call and all later ones of the pass return at once.
    fn wait(&self, worker: usize) -> Result<(), Poisoned>;
}

/// One worker of a team during a pass.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    index: usize,
    size: usize,
    barrier: &'a dyn Barrier,
}

impl<'a> Member<'a> {
    /// Worker `index` of `size`.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn new(index: usize, size: usize, barrier: &'a dyn Barrier) -> Self {
        assert!(index < size, "worker {index} of {size}");
        Self { index, size, barrier }
    }

    /// Which worker this is.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Waits for the others.
    ///
    /// # Errors
    /// [`Poisoned`] if a worker failed.
    pub fn wait(&self) -> Result<(), Poisoned> {
        self.barrier.wait(self.index)
    }
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {} of {}", self.index, self.size)
    }
}

/// What every worker of a pass does.
pub type Work<'a> = dyn Fn(Member<'_>) -> Result<(), RunError> + Sync + 'a;

/// The workers of a device.
///
/// # Safety
/// `run` calls `work` exactly once for each index in `0..size()`, the calls may wait for each other at the barrier that
/// their [`Member`]s share, and `run` returns only after all calls have returned; what they wrote is then visible.
pub unsafe trait Team: Sync {
    /// The number of workers, at least 1.
    fn size(&self) -> usize;

    /// Runs `work` on every worker. When `work` returns an error, the team closes the barrier, or the others would wait
    /// for that worker for ever. [`Segment::run`](super::Segment::run) turns the panics of kernels into errors.
    ///
    /// # Errors
    /// The error of the worker that failed first by (order of barriers, index); [`RunError::Busy`] if the team is
    /// entered from one of its own workers.
    fn run(&self, work: &Work<'_>) -> Result<(), RunError>;
}

/// A team of one: the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

// SAFETY: with one worker there is nobody to wait for.
unsafe impl Barrier for Solo {
    fn wait(&self, _: usize) -> Result<(), Poisoned> {
        Ok(())
    }
}

// SAFETY: calls `work` once, on the calling thread.
unsafe impl Team for Solo {
    fn size(&self) -> usize {
        1
    }

    fn run(&self, work: &Work<'_>) -> Result<(), RunError> {
        work(Member::new(0, 1, self))
    }
}
