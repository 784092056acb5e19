//! An observer that keeps what it is told.

use std::sync::{Mutex, PoisonError};

use vt_core::plan::{Event, Observer};

/// Keeps the events of passes, each worker's apart so that workers do not wait for each other.
#[derive(Debug)]
pub struct Recorder(Vec<Mutex<Vec<Event>>>);

impl Recorder {
    /// A recorder for devices of up to so many workers; of more, several share a place.
    pub fn new(workers: usize) -> Self {
        Self((0..workers.max(1)).map(|_| Mutex::default()).collect())
    }

    /// The events since the last call: worker by worker, each one's in their order.
    pub fn take(&self) -> Vec<Event> {
        let own = |events: &Mutex<Vec<Event>>| {
            let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
            events.drain(..).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(own).collect()
    }
}

impl Observer for Recorder {
    fn observe(&self, event: Event) {
        let own = &self.0[event.worker % self.0.len()];
        own.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use vt_core::plan::Activity;

    use super::*;

    #[test]
    fn events_are_taken_once() {
        let recorder = Recorder::new(2);
        let now = Instant::now();
        let event =
            |worker, step| Event { schedule: 0, step, worker, activity: Activity::Computing, start: now, end: now };
        [event(1, 0), event(0, 0), event(2, 1), event(1, 2)].into_iter().for_each(|e| recorder.observe(e));
        assert_eq!(recorder.take(), [event(0, 0), event(2, 1), event(1, 0), event(1, 2)]);
        assert!(recorder.take().is_empty() && Recorder::new(0).take().is_empty());
    }
}
