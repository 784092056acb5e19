//! What each worker did when, as a file of trace events.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use vt_core::plan::{Activity, Event, Span, StepDescription};

use crate::cli::stop::Stop;

/// Events in the trace event format (Google, "Trace Event Format"): whole stretches of time (`X`) on a track for each
/// worker and one for passes.
pub(super) struct Trace {
    origin: Instant,
    passes_track: usize,
    events: Vec<Value>,
}

impl Trace {
    pub(super) fn new(workers: usize) -> Self {
        let name = |kind: &str, track: usize, name: String| json!({ "name": kind, "ph": "M", "pid": 0, "tid": track, "args": { "name": name } });
        let mut events =
            vec![name("process_name", 0, "vt".to_owned()), name("thread_name", workers, "passes".to_owned())];
        events.extend((0..workers).map(|worker| name("thread_name", worker, format!("worker {worker}"))));
        Self { origin: Instant::now(), passes_track: workers, events }
    }

    /// Adds a pass with its events.
    pub(super) fn add(
        &mut self,
        phase: &str,
        span: Span,
        time: Range<Instant>,
        events: &[Event],
        steps: &[StepDescription],
    ) {
        let pass = json!({ "position": span.position, "rows": span.rows });
        self.push(phase, "pass", self.passes_track, time, pass);
        for event in events {
            let Some(step) = steps.get(event.step) else { continue };
            let (name, kind) = match event.activity {
                Activity::Computing => (step.op, "kernel"),
                Activity::Waiting => ("barrier", "waiting"),
            };
            let about = json!({ "step": event.step, "kernel": step.kernel, "inputs": step.inputs });
            self.push(name, kind, event.worker, event.start..event.end, about);
        }
    }

    fn push(&mut self, name: &str, kind: &str, track: usize, time: Range<Instant>, about: Value) {
        let micros = |at: Instant| (at - self.origin).as_nanos() as f64 / 1e3;
        let (start, end) = (micros(time.start), micros(time.end));
        self.events.push(json!({
            "name": name, "cat": kind, "ph": "X", "pid": 0, "tid": track, "ts": start, "dur": end - start, "args": about,
        }));
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Stop> {
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            serde_json::to_writer(&mut file, &json!({ "displayTimeUnit": "ms", "traceEvents": self.events }))?;
            file.flush()
        };
        write().map_err(|error| Stop::failed(format!("{}: {error}", path.display())))
    }
}
