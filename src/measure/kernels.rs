//! Micro-benchmarks: each kernel by itself, on an example of its op.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;
use vt_core::kernel::Support;
use vt_core::op::{AnyCase, Cost};
use vt_core::plan::{Activity, Event, Observer, Options, panic_message};
use vt_core::registry::{Device, Registry};

use super::Recorder;
use crate::check::prepared::{Data, Prepared};
use crate::check::runner::{self, NoResult};

/// How much is done to learn a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// It runs once: whether it can, not how fast.
    Once,
    /// The best of many calls. Large weights that few rows are multiplied with come from memory: there are as many
    /// copies of them as no cache holds.
    Best,
}

/// What a kernel took for a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The kernel's name.
    pub kernel: String,
    /// The work of a call.
    pub cost: Cost,
    /// The time of a call: from worker to worker, the longest.
    pub seconds: f64,
    /// The calls that were made.
    pub calls: usize,
}

/// A kernel failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{op} {case} on {device} ({kernel}): {why}")]
pub struct MeasureError {
    /// The op.
    pub op: &'static str,
    /// The case.
    pub case: String,
    /// The device.
    pub device: &'static str,
    /// The kernel; `any` if it did not come to one.
    pub kernel: String,
    /// What went wrong.
    pub why: String,
}

/// Measures a case on each kernel that a device has for it and whose name contains `kernel`, best first.
///
/// # Errors
/// If one fails. A kernel that refuses the case is left out.
pub fn case(
    registry: &Arc<Registry>,
    device: &dyn Device,
    case: &AnyCase,
    kernel: &str,
    effort: Effort,
) -> Result<Vec<Measurement>, MeasureError> {
    let error = |kernel: &str, why: String| {
        let (op, case, kernel) = (case.op.name(), case.name.clone(), kernel.to_owned());
        MeasureError { op, case, device: device.name(), kernel, why }
    };
    let answers = runner::kernels(registry, device, case).map_err(|why| error("any", why))?;
    let names: Vec<String> = answers.into_iter().filter(|k| k.support == Support::Yes).map(|k| k.name).collect();
    let names: Vec<String> = names.into_iter().filter(|name| name.contains(kernel)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let (data, times) = data(case, effort).map_err(|no| error("any", no.why()))?;
    let mut found = Vec::new();
    for name in names {
        let one = || measure(registry, device, case, &name, &data, times, effort);
        let result = catch_unwind(AssertUnwindSafe(one)).unwrap_or_else(|panic| {
            Err(NoResult::Failed(format!("panicked while it was planned: {}", panic_message(&*panic))))
        });
        match result {
            Ok(measurement) => found.push(measurement),
            Err(NoResult::Refused(_)) => {}
            Err(NoResult::Failed(why)) => return Err(error(&name, why)),
        }
    }
    Ok(found)
}

/// Weights of so many bytes come from memory in every call, and not from a cache.
const LARGE: usize = 4 << 20;
/// Of large weights there are as many copies as have this size together.
const COPIES: usize = 256 << 20;
/// Up to so many rows, time goes by in reading weights.
const FEW_ROWS: usize = 24;

/// The data of a case, and how often a pass computes it.
fn data(case: &AnyCase, effort: Effort) -> Result<(Data, usize), NoResult> {
    let mut data = Data::new(case)?;
    let weights = data.weight_bytes(case);
    let copied = effort == Effort::Best && case.sizes.t <= FEW_ROWS && weights >= LARGE;
    let times = if copied { COPIES.div_ceil(weights) } else { 1 };
    data.repeat(times)?;
    Ok((data, times))
}

/// The time that passes are repeated for, and that for which there shall be at least [`FEWEST`]: the first one touches memory
/// that is new.
const WINDOW: Duration = Duration::from_millis(100);
const LONG_WINDOW: Duration = Duration::from_millis(1000);
const FEWEST: usize = 3;

fn measure(
    registry: &Arc<Registry>,
    device: &dyn Device,
    case: &AnyCase,
    kernel: &str,
    data: &Data,
    times: usize,
    effort: Effort,
) -> Result<Measurement, NoResult> {
    let options = Options { kernel: Some(kernel.to_owned()), fuse: false, ..Options::new(device.name(), case.sizes) };
    let mut prepared = Prepared::new(registry, &options, case, data)?;
    let cost = prepared.plan.costs(0, case.sizes, &case.spans).first().copied().unwrap_or_default();
    let recorder = Arc::new(Recorder::new(device.workers()));
    prepared.memory.observe(Some(recorder.clone() as Arc<dyn Observer>));
    let (start, mut best, mut passes) = (Instant::now(), Duration::MAX, 0);
    loop {
        prepared.run()?;
        passes += 1;
        best = best.min(longest(&recorder.take()));
        let window = if passes < FEWEST { LONG_WINDOW } else { WINDOW };
        if effort == Effort::Once || start.elapsed() >= window {
            let seconds = best.as_secs_f64() / times as f64;
            return Ok(Measurement { kernel: kernel.to_owned(), cost, seconds, calls: passes * times });
        }
    }
}

/// The time that the busiest worker computed.
fn longest(events: &[Event]) -> Duration {
    let computing = |events: &[Event]| -> Duration {
        events.iter().filter(|e| e.activity == Activity::Computing).map(|e| e.end - e.start).sum()
    };
    events.chunk_by(|a, b| a.worker == b.worker).map(computing).max().unwrap_or_default()
}
