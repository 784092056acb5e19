//! Watching passes: what each worker does, and for how long.

use std::fmt;
use std::time::Instant;

/// What a worker did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It computed its tiles of the step, of which there may be none.
    Computing,
    /// It waited for the others before the step.
    Waiting,
}

/// A stretch of a worker's time in a pass. Those of a worker in a segment follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The class of passes: its place in [`Description::schedules`](super::Description::schedules).
    pub schedule: usize,
    /// The step: its place in [`ScheduleDescription::steps`](super::ScheduleDescription::steps).
    pub step: usize,
    /// The worker of the step's device.
    pub worker: usize,
    /// What it did.
    pub activity: Activity,
    /// When it began.
    pub start: Instant,
    /// When it was done.
    pub end: Instant,
}

/// Is told what workers do, by themselves and while a pass runs: it should be quick. [`Memory::observe`] says of which
/// passes. Of a device that only queues its steps, it is told how long that took.
///
/// [`Memory::observe`]: super::Memory::observe
pub trait Observer: fmt::Debug + Send + Sync {
    /// Takes note of an event. A step that fails is none.
    fn observe(&self, event: Event);
}

/// Who watches a pass of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch<'a> {
    pub observer: &'a dyn Observer,
    pub schedule: usize,
}

impl<'a> Watch<'a> {
    /// A stopwatch for a worker.
    pub(crate) fn start(self, worker: usize) -> Stopwatch<'a> {
        Stopwatch { watch: self, worker, last: Instant::now() }
    }
}

/// Tells the observer of a worker's stretches of time.
pub(crate) struct Stopwatch<'a> {
    watch: Watch<'a>,
    worker: usize,
    last: Instant,
}

impl Stopwatch<'_> {
    /// The worker did this from the last call on.
    pub(crate) fn tell(&mut self, step: usize, activity: Activity) {
        let (start, end) = (self.last, Instant::now());
        let (schedule, worker) = (self.watch.schedule, self.worker);
        self.watch.observer.observe(Event { schedule, step, worker, activity, start, end });
        self.last = end;
    }
}
