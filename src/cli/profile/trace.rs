//! What each worker did when, as a file of trace events.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use vt_core::plan::{Activity, Description, Event, Span};

use crate::cli::stop::Stop;

/// Passes with their events.
pub(super) struct Trace {
    origin: Instant,
    passes: Vec<Pass>,
}

struct Pass {
    phase: &'static str,
    span: Span,
    time: Range<Instant>,
    events: Vec<Event>,
}

impl Trace {
    pub(super) fn new() -> Self {
        Self { origin: Instant::now(), passes: Vec::new() }
    }

    pub(super) fn add(&mut self, phase: &'static str, span: Span, time: Range<Instant>, events: Vec<Event>) {
        self.passes.push(Pass { phase, span, time, events });
    }

    /// Writes a file in the trace event format (Google, "Trace Event Format"): whole stretches of time (`X`) on a track
    /// for each worker and, after those, one for passes.
    pub(super) fn write(&self, path: &Path, plan: &Description, workers: usize) -> Result<(), Stop> {
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            let names = (0..workers).map(|worker| track(worker, &format!("worker {worker}")));
            let stretches = self.passes.iter().flat_map(|pass| self.pass(pass, plan, workers));
            list(&mut file, names.chain([track(workers, "passes")]).chain(stretches))?;
            file.flush()
        };
        write().map_err(|error| Stop::failed(format!("{}: {error}", path.display())))
    }

    /// A pass, and what workers did in it.
    fn pass<'a>(&'a self, pass: &'a Pass, plan: &'a Description, workers: usize) -> impl Iterator<Item = Value> {
        let about = json!({ "position": pass.span.position, "rows": pass.span.rows });
        let whole = self.stretch(pass.phase, "pass", workers, &pass.time, about);
        let of_worker = |event: &Event| {
            let step = plan.schedules.get(event.schedule)?.steps.get(event.step)?;
            let (name, kind) = match event.activity {
                Activity::Computing => (step.op, "kernel"),
                Activity::Waiting => ("barrier", "waiting"),
            };
            let about = json!({ "step": event.step, "kernel": step.kernel, "inputs": step.inputs });
            Some(self.stretch(name, kind, event.worker, &(event.start..event.end), about))
        };
        [whole].into_iter().chain(pass.events.iter().filter_map(of_worker))
    }

    fn stretch(&self, name: &str, kind: &str, track: usize, time: &Range<Instant>, about: Value) -> Value {
        let micros = |at: Instant| (at - self.origin).as_nanos() as f64 / 1e3;
        let (start, end) = (micros(time.start), micros(time.end));
        json!({
            "name": name, "cat": kind, "ph": "X", "pid": 0, "tid": track, "ts": start, "dur": end - start, "args": about,
        })
    }
}

/// The name of a track.
fn track(number: usize, name: &str) -> Value {
    json!({ "name": "thread_name", "ph": "M", "pid": 0, "tid": number, "args": { "name": name } })
}

/// Events one by one, a line each: there may be millions.
fn list(out: &mut impl Write, events: impl Iterator<Item = Value>) -> io::Result<()> {
    write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    for (number, event) in events.enumerate() {
        write!(out, "{}\n{event}", if number > 0 { "," } else { "" })?;
    }
    writeln!(out, "\n]}}")
}
