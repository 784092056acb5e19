//! Plans: from a graph to a list of steps, and the walk over it.

mod arena;
mod assemble;
mod assign;
mod cost;
mod dot;
mod eager;
mod error;
mod groups;
mod memory;
mod observe;
mod options;
mod outputs;
mod pass;
#[expect(clippy::module_inception, reason = "the file holds the type that the module is named for")]
mod plan;
mod program;
mod report;
mod schedule;
mod sequence;
mod settle;
mod share;
mod step;
mod team;
mod transfer;
mod verify;
mod walk;

pub use assign::FallbackInfo;
pub use eager::Eager;
pub use error::{DeviceError, MissingKernel, PlanError, RunError};
pub use memory::{Counters, Memory};
pub use observe::{Activity, Event, Observer};
pub use options::{Fallback, Options};
pub use outputs::Outputs;
pub use pass::{Feed, Pass, Span};
pub use plan::Plan;
pub(crate) use program::Program;
pub use report::{Description, ScheduleDescription, StepDescription};
pub use sequence::{Sequence, Snapshot, StatePlace};
pub use share::Share;
pub use step::Segment;
pub(crate) use step::{Operand, Place, Step};
pub use team::{Barrier, Member, Poisoned, Solo, Team, Work};
pub use verify::{Rule, Violation};
pub(crate) use walk::Arena;
pub use walk::{Args, panic_message};
