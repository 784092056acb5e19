//! Plans: from a graph to a list of steps, and the walk over it.

mod arena;
mod eager;
mod error;
mod memory;
mod options;
mod outputs;
mod pass;
#[expect(clippy::module_inception, reason = "the file holds the type that the module is named for")]
mod plan;
mod program;
mod schedule;
mod sequence;
mod share;
mod step;
mod team;
mod transfer;
mod walk;

pub use eager::Eager;
pub use error::{DeviceError, MissingKernel, PlanError, RunError};
pub use memory::{Counters, Memory};
pub use options::{Fallback, Options};
pub use outputs::Outputs;
pub use pass::{Feed, Pass, Span};
pub use plan::Plan;
pub use program::FallbackInfo;
pub(crate) use program::Program;
pub use sequence::{Sequence, Snapshot, StatePlace};
pub use share::Share;
pub use step::Segment;
pub(crate) use step::{Operand, Place, Step};
pub use team::{Barrier, Member, Poisoned, Solo, Team, Work};
pub(crate) use walk::Arena;
pub use walk::Args;
