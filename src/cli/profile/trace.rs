//! What each worker did when, as a file of trace events.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use vt_core::plan::{Activity, Description, Event, Span};

use crate::cli::stop::Stop;

/// Passes with their events, and the file that they go to.
pub(super) struct Trace {
    path: PathBuf,
    file: BufWriter<File>,
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
    /// With a file at `path`, which is made now: where it cannot be, nothing is measured in vain.
    pub(super) fn create(path: &Path) -> Result<Self, Stop> {
        let file = File::create(path).map_err(|error| at(path, error))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), origin: Instant::now(), passes: Vec::new() })
    }

    pub(super) fn add(&mut self, phase: &'static str, span: Span, time: Range<Instant>, events: Vec<Event>) {
        self.passes.push(Pass { phase, span, time, events });
    }

    /// Writes the file in the trace event format (Google, "Trace Event Format"): whole stretches of time (`X`) on a track
    /// for each worker and, after those, one for passes.
    pub(super) fn write(mut self, plan: &Description, workers: usize) -> Result<(), Stop> {
        let (passes, origin) = (std::mem::take(&mut self.passes), self.origin);
        let names = (0..workers).map(|worker| track(worker, &format!("worker {worker}")));
        let stretches = passes.iter().flat_map(|pass| pass.events(origin, plan, workers));
        let written = list(&mut self.file, names.chain([track(workers, "passes")]).chain(stretches));
        written.and_then(|()| self.file.flush()).map_err(|error| at(&self.path, error))
    }
}

fn at(path: &Path, error: io::Error) -> Stop {
    Stop::failed(format!("{}: {error}", path.display()))
}

impl Pass {
    /// The pass, and what workers did in it.
    fn events<'a>(
        &'a self,
        origin: Instant,
        plan: &'a Description,
        workers: usize,
    ) -> impl Iterator<Item = Value> + 'a {
        let about = json!({ "position": self.span.position, "rows": self.span.rows });
        let whole = stretch(origin, self.phase, "pass", workers, &self.time, about);
        let of_worker = move |event: &Event| {
            let step = plan.schedules.get(event.schedule)?.steps.get(event.step)?;
            let (name, kind) = match event.activity {
                Activity::Computing => (step.op, "kernel"),
                Activity::Waiting => ("barrier", "waiting"),
            };
            let about = json!({ "step": event.step, "kernel": step.kernel, "inputs": step.inputs });
            Some(stretch(origin, name, kind, event.worker, &(event.start..event.end), about))
        };
        [whole].into_iter().chain(self.events.iter().filter_map(of_worker))
    }
}

fn stretch(origin: Instant, name: &str, kind: &str, track: usize, time: &Range<Instant>, about: Value) -> Value {
    let micros = |at: Instant| (at - origin).as_nanos() as f64 / 1e3;
    let (start, end) = (micros(time.start), micros(time.end));
    json!({
        "name": name, "cat": kind, "ph": "X", "pid": 0, "tid": track, "ts": start, "dur": end - start, "args": about,
    })
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
