//! A counter that threads wait on.

use std::sync::PoisonError;

use super::sync::{AtomicUsize, Condvar, Mutex, Ordering, lock, spin_loop, yield_now};

/// How a thread waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// How often it looks, a PAUSE between, before it rests.
    pub spins: u32,
    pub rest: Rest,
}

/// What a thread does when it has looked often enough.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest {
    /// Sleeps until it is woken.
    Park,
    /// Looks again each time the scheduler lets it.
    Yield,
}

/// The count stands where it stood, and the counter is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closed;

/// A count that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen(usize);

impl Seen {
    /// What a new [`Turn`] stands at.
    pub const START: Self = Self(0);
}

/// Threads may be asleep on `changed`.
const SLEEPERS: usize = 1;
const CLOSED: usize = 2;
/// One thread that has arrived in this turn. There is room for 4,095.
const ARRIVAL: usize = 4;
const ARRIVALS: usize = ONE - ARRIVAL;
const ONE: usize = 1 << 14;
const COUNT: usize = !(ONE - 1);

/// The counter: one thread at a time moves it on, or the last of many to arrive; any number waits until it has moved.
///
/// All is in one word, for speed (a barrier of two threads takes a third of the time that it takes with arrivals on
/// another cache line), and so that a single look tells a waiter both whether the count moved and whether the counter
/// is closed; a moved count wins. So no waiter takes a turn that was completed before the closing for an interrupted
/// one, however late it looks.
///
/// No wake-up is lost. A waiter holds the lock from before it sets `SLEEPERS` until it sleeps. Whoever changes the word
/// takes `SLEEPERS` out in the same step. If it was set, its waiter holds the lock or sleeps; passing through the lock
/// leaves only the second, and then all are woken. A waiter that sets the flag later sees the changed word as it does.
#[derive(Debug)]
pub(super) struct Turn {
    word: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Turn {
    pub fn new() -> Self {
        Self { word: AtomicUsize::new(Seen::START.0), lock: Mutex::new(()), changed: Condvar::new() }
    }

    /// The count.
    pub fn now(&self) -> Seen {
        Seen(self.word.load(Ordering::Acquire) & COUNT)
    }

    pub fn is_closed(&self) -> bool {
        self.word.load(Ordering::Acquire) & CLOSED != 0
    }

    /// Moves on. What this thread did before is visible to those whose wait ends by it.
    pub fn advance(&self) {
        self.change(|word| (word & !ARRIVALS).wrapping_add(ONE));
    }

    /// Adds this thread to those that have arrived. The last of `all` moves on, having seen what the others did before;
    /// the others get the count to wait for the end of.
    pub fn arrive(&self, all: usize) -> Result<Option<Seen>, Closed> {
        let before = self.word.fetch_add(ARRIVAL, Ordering::AcqRel);
        if before & CLOSED != 0 {
            self.word.fetch_sub(ARRIVAL, Ordering::Relaxed);
            return Err(Closed);
        }
        if (before & ARRIVALS) / ARRIVAL + 1 < all {
            return Ok(Some(Seen(before & COUNT)));
        }
        self.advance();
        Ok(None)
    }

    /// Ends all waits for a further turn, until [`Turn::open`].
    pub fn close(&self) {
        self.change(|word| word | CLOSED);
    }

    /// Opens the counter again, with nobody arrived. Nobody may be waiting.
    pub fn open(&self) {
        self.word.fetch_and(!(CLOSED | ARRIVALS), Ordering::Relaxed);
    }

    fn change(&self, to: impl Fn(usize) -> usize) {
        let changed = self.word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |word| Some(to(word & !SLEEPERS)));
        let (Ok(before) | Err(before)) = changed;
        if before & SLEEPERS != 0 {
            drop(lock(&self.lock));
            self.changed.notify_all();
        }
    }

    /// Waits until the count is no longer `seen`, and returns it.
    pub fn wait(&self, seen: Seen, patience: Patience) -> Result<Seen, Closed> {
        for _ in 0..patience.spins {
            if let Some(end) = after(seen, self.word.load(Ordering::Acquire)) {
                return end;
            }
            spin_loop();
        }
        match patience.rest {
            Rest::Park => self.park(seen),
            Rest::Yield => self.look_and_yield(seen),
        }
    }

    fn park(&self, seen: Seen) -> Result<Seen, Closed> {
        let mut guard = lock(&self.lock);
        loop {
            if let Some(end) = after(seen, self.word.fetch_or(SLEEPERS, Ordering::Acquire)) {
                return end;
            }
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn look_and_yield(&self, seen: Seen) -> Result<Seen, Closed> {
        loop {
            if let Some(end) = after(seen, self.word.load(Ordering::Acquire)) {
                return end;
            }
            yield_now();
        }
    }
}

/// How a wait for the turn after `seen` ends, if it does.
fn after(seen: Seen, word: usize) -> Option<Result<Seen, Closed>> {
    let now = Seen(word & COUNT);
    if now != seen {
        return Some(Ok(now));
    }
    (word & CLOSED != 0).then_some(Err(Closed))
}
