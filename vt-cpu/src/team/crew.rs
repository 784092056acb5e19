//! What the threads of a team share, and how a pass begins and ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use vt_core::RunError;
use vt_core::plan::{Member, Work};

use super::barrier::TeamBarrier;
use super::failure::{Failure, keep_first, panicked};
use super::sync::{Arc, Mutex, Padded, RwLock, lock};
use super::turn::{Patience, Seen, Turn};

/// How the threads of a team wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// For the next pass.
    pub idle: Patience,
    /// At a barrier, and for the last worker to leave.
    pub busy: Patience,
}

/// The work of the current pass, as if it lived for ever.
type Job = &'static Work<'static>;

/// What the threads of a team share. The thread that leads is worker 0, the others [`serve`](Crew::serve).
pub(super) struct Crew {
    waits: Waits,
    job: RwLock<Option<Job>>,
    barrier: TeamBarrier,
    failure: Mutex<Option<Failure>>,
    /// One turn for each pass; closed when the team ends.
    passes: Padded<Turn>,
    /// One turn for each pass that all the serving threads have left.
    left: Padded<Turn>,
}

impl Crew {
    fn new(workers: usize, waits: Waits) -> Self {
        Self {
            waits,
            job: RwLock::new(None),
            barrier: TeamBarrier::new(workers, waits.busy),
            failure: Mutex::new(None),
            passes: Padded(Turn::new()),
            left: Padded(Turn::new()),
        }
    }

    /// Takes part in every pass as `worker`, until the team ends. Each worker but 0 must have one thread that does.
    pub fn serve(&self, worker: usize) {
        let mut seen = Seen::START;
        while let Ok(now) = self.passes.0.wait(seen, self.waits.idle) {
            seen = now;
            self.take_part(worker);
            // Nobody closes this counter.
            let _ = self.left.0.arrive(self.barrier.workers() - 1);
        }
    }

    /// Runs a pass. There must be no other one at the time.
    fn run(&self, work: &Work<'_>) -> Result<(), RunError> {
        // SAFETY: only the lifetime changes. The reference is used by this thread and by the serving ones between
        // `begin` and `finish`, both called here while the caller lends it: `take_part` catches the panics of `work`,
        // nothing else here panics, so `finish` is reached. It returns only when all the serving threads have left
        // (each leaves once, after its last use), and takes the reference out of `job`.
        let job: Job = unsafe { std::mem::transmute::<&Work<'_>, Job>(work) };
        let before = self.left.0.now();
        self.begin(job);
        self.take_part(0);
        if self.barrier.workers() > 1 {
            // Nobody closes this counter, so the wait ends with a turn.
            let _ = self.left.0.wait(before, self.waits.busy);
        }
        self.finish()
    }

    fn begin(&self, job: Job) {
        *self.job.write().unwrap_or_else(PoisonError::into_inner) = Some(job);
        self.barrier.open();
        self.passes.0.advance();
    }

    fn finish(&self) -> Result<(), RunError> {
        *self.job.write().unwrap_or_else(PoisonError::into_inner) = None;
        lock(&self.failure).take().map_or(Ok(()), |first| Err(first.error))
    }

    fn take_part(&self, worker: usize) {
        let Some(work) = *self.job.read().unwrap_or_else(PoisonError::into_inner) else { return };
        let member = Member::new(worker, self.barrier.workers(), &self.barrier);
        let end = catch_unwind(AssertUnwindSafe(|| work(member))).unwrap_or_else(|panic| Err(panicked(panic)));
        if let Err(error) = end {
            let place = (self.barrier.calls(worker), worker);
            keep_first(&mut lock(&self.failure), Failure { place, error });
        }
        self.barrier.close();
    }
}

/// The right to run passes: there is one for each crew, so no two run at a time. The team ends with it.
pub(super) struct Lead(Arc<Crew>);

impl Lead {
    /// A new crew. Whoever leads it must have its workers served.
    pub fn new(workers: usize, waits: Waits) -> Self {
        Self(Arc::new(Crew::new(workers, waits)))
    }

    pub fn crew(&self) -> &Arc<Crew> {
        &self.0
    }

    /// Runs `work` once on every worker, on this thread as worker 0.
    pub fn run(&mut self, work: &Work<'_>) -> Result<(), RunError> {
        self.0.run(work)
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        self.0.passes.0.close();
    }
}
