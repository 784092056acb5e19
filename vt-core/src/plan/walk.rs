//! The walk over a segment's steps: what each worker does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::observe::{Activity, Watch};
use super::sequence::StatePlace;
use super::step::{Segment, Step};
use super::team::{Member, Team};
use crate::kernel::Io;
use crate::memory::DeviceMemory;
use crate::{RunError, Sizes, Tensor};

/// Where the arena of a segment's device is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arena<'a> {
    Host(*mut u8),
    Remote(&'a dyn DeviceMemory),
}

/// A run-time input during a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPlace {
    pub start: *const u8,
    pub bytes: usize,
}

/// What a pass gives to the steps of a segment. Devices hand it on to [`Segment::run`].
#[derive(Debug)]
pub struct Args<'a> {
    /// What they are for: its places are the only ones that fit them.
    pub(crate) segment: &'a Segment,
    pub(crate) sizes: Sizes,
    pub(crate) arena: Arena<'a>,
    /// Scratch memory, `scratch_stride` bytes a worker.
    pub(crate) scratch: *mut u8,
    pub(crate) scratch_stride: usize,
    pub(crate) inputs: &'a [InputPlace],
    pub(crate) weights: &'a [(String, Tensor)],
    /// The weights' copies in a remote device's memory, by the weights' numbers.
    pub(crate) remote_weights: &'a [Option<std::sync::Arc<dyn DeviceMemory>>],
    /// The state of each slot, sequence by sequence.
    pub(crate) states: &'a [StatePlace],
    pub(crate) slots: usize,
    /// Who is told what workers do.
    pub(crate) watch: Option<Watch<'a>>,
}

// SAFETY: the pointers are to memory that the pass borrows exclusively; the walk hands disjoint parts to workers, as
// the schedule says (`plan::verify` states the rules).
unsafe impl Sync for Args<'_> {}

impl Segment {
    /// Runs the segment on the workers of a team. `args` can be used once, so that no segment runs twice at a time.
    ///
    /// # Errors
    /// The error or panic of a kernel; or if `args` are of another segment, or the team has not as many workers as the
    /// segment was planned for.
    pub fn run(&self, args: Args<'_>, team: &dyn Team) -> Result<(), RunError> {
        if !std::ptr::eq(args.segment, self) {
            let (expected, found) = ("those of the segment".to_owned(), "another segment's".to_owned());
            return Err(RunError::Pass { what: "arguments", expected, found });
        }
        if team.size() != self.workers {
            let (expected, found) = (self.workers.to_string(), team.size().to_string());
            return Err(RunError::Pass { what: "workers of the device", expected, found });
        }
        team.run(&|member| self.walk(&args, member))
    }

    /// The share of one worker: its tiles of every step.
    fn walk(&self, args: &Args<'_>, member: Member<'_>) -> Result<(), RunError> {
        let mut stopwatch = args.watch.map(|watch| watch.start(member.index()));
        let mut tell = |step, activity| {
            if let Some(stopwatch) = &mut stopwatch {
                stopwatch.tell(step, activity);
            }
        };
        for (number, step) in (self.first..).zip(&self.steps) {
            if step.barrier {
                member.wait().map_err(|_| RunError::Poisoned)?;
                tell(number, Activity::Waiting);
            }
            run_tiles(step, args, member)?;
            tell(number, Activity::Computing);
        }
        Ok(())
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

fn run_tiles(step: &Step, args: &Args<'_>, member: Member<'_>) -> Result<(), RunError> {
    let Some(out) = step.outputs.first() else { return Ok(()) };
    for tile in step.share.tiles(member.index(), member.size(), out.rows.count(&args.sizes), out.cols) {
        if step.is_empty(&tile, &args.sizes) {
            continue;
        }
        // SAFETY: the schedule gives no two workers of an epoch overlapping parts to write, or a part to read that
        // another one writes (`plan::verify`), and the walk keeps to it: the tile is this worker's share.
        let mut io = unsafe { Io::new(step, args, member.index(), tile) };
        match catch_unwind(AssertUnwindSafe(|| step.bound.run(&mut io))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                return Err(RunError::Kernel { op: step.op, kernel: step.bound.kernel().to_owned(), error });
            }
            Err(panic) => {
                let message = panic_message(&*panic).to_owned();
                return Err(RunError::Panic { op: step.op, kernel: step.bound.kernel().to_owned(), message });
            }
        }
    }
    Ok(())
}

/// What a caught panic said: for devices and checks that turn panics into errors.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
