//! The threads of the CPU backend.

mod barrier;
mod cores;
mod crew;
mod failure;
mod host;
mod sync;
mod turn;

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use vt_core::RunError;
use vt_core::plan::{DeviceError, Team, Work};

pub use cores::default_threads;
use crew::{Lead, Waits};
use host::Host;
use turn::{Patience, Rest};

/// A team of threads: the caller of a pass is worker 0, the others are spawned at the first pass and wait for the next
/// one, spinning for about half a millisecond and then parked.
///
/// At a barrier a worker spins for about a tenth of a millisecond and then parks: in a virtual machine, waking a parked thread
/// takes longer than most steps. In a team of more workers than the machine has CPUs for,
/// it does not spin but yields. One pass runs at a time; other threads wait for their turn. Dropping the team ends its
/// threads.
pub struct Threads {
    size: usize,
    /// What [`host::of_this_thread`] is in the team's own threads.
    home: usize,
    /// The thread that runs a pass, by [`this_thread`]; 0 if there is none.
    caller: AtomicUsize,
    seat: Mutex<Seat>,
}

/// What the thread that runs a pass holds.
struct Seat {
    /// Before `host`: the threads end when the lead is dropped, and are joined when the host is.
    lead: Lead,
    host: Option<Host>,
}

/// A team cannot have so many workers, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadThreadCount {
    /// How many were asked for.
    pub found: usize,
}

impl fmt::Display for BadThreadCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "threads: expected 1 to {}, found {}", Threads::MAX, self.found)
    }
}

impl Error for BadThreadCount {}

/// About 0.5 ms and 0.1 ms where a PAUSE takes 25 ns; CPUs differ. Miri takes much longer.
const IDLE_SPINS: u32 = if cfg!(miri) { 4 } else { 20_000 };
const BARRIER_SPINS: u32 = if cfg!(miri) { 4 } else { 4_000 };

impl Threads {
    /// The largest team.
    pub const MAX: usize = 1024;

    /// A team of `size` workers. Starts no thread yet.
    ///
    /// # Errors
    /// If `size` is 0 or more than [`Threads::MAX`].
    pub fn new(size: usize) -> Result<Self, BadThreadCount> {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
        Self::with_waits(size, waits(size, cpus))
    }

    fn with_waits(size: usize, waits: Waits) -> Result<Self, BadThreadCount> {
        if !(1..=Self::MAX).contains(&size) {
            return Err(BadThreadCount { found: size });
        }
        let lead = Lead::new(size, waits);
        let home = host::id(lead.crew());
        Ok(Self { size, home, caller: AtomicUsize::new(0), seat: Mutex::new(Seat { lead, host: None }) })
    }

    /// Whether this thread is inside a pass of this team. What another thread writes to `caller` meanwhile is never
    /// this thread's name, so no order between threads is needed.
    fn is_inside(&self) -> bool {
        host::of_this_thread() == self.home || self.caller.load(Ordering::Relaxed) == this_thread()
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a team of {}", self.size)
    }
}

/// How a team waits on so many CPUs. Where workers share a CPU, a spinning one keeps from running what it waits for.
fn waits(workers: usize, cpus: usize) -> Waits {
    if workers <= cpus {
        let park = |spins| Patience { spins, rest: Rest::Park };
        Waits { idle: park(IDLE_SPINS), busy: park(BARRIER_SPINS) }
    } else {
        Waits { idle: Patience { spins: 0, rest: Rest::Park }, busy: Patience { spins: 0, rest: Rest::Yield } }
    }
}

impl Seat {
    /// Starts the threads if they are not yet there.
    fn fill(&mut self, size: usize) -> Result<(), RunError> {
        if size > 1 && self.host.is_none() {
            let host = Host::spawn(self.lead.crew(), size - 1);
            let host = host.map_err(|message| DeviceError { device: "cpu", message })?;
            self.host = Some(host);
        }
        Ok(())
    }
}

// SAFETY: `Lead::run` calls `work` as worker 0 on this thread and by `Crew::serve` as each other one, which has one
// thread in `Host`; it returns after all have left the pass. Workers share the crew's barrier.
unsafe impl Team for Threads {
    fn size(&self) -> usize {
        self.size
    }

    /// A panic of `work` is returned as [`RunError::Device`], and so is a refusal of the system to start the threads.
    fn run(&self, work: &Work<'_>) -> Result<(), RunError> {
        if self.is_inside() {
            return Err(RunError::Busy);
        }
        let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        seat.fill(self.size)?;
        self.caller.store(this_thread(), Ordering::Relaxed);
        let end = seat.lead.run(work);
        self.caller.store(0, Ordering::Relaxed);
        end
    }
}

/// A number that no other living thread has: the address of one of its own variables.
fn this_thread() -> usize {
    thread_local! {
        static HERE: Cell<u8> = const { Cell::new(0) };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}
