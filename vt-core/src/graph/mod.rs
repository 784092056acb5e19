//! Graphs: ops recorded with their inputs, and the passes over them.

#[expect(clippy::module_inception, reason = "the file holds the type that the module is named for")]
mod graph;
pub(crate) mod passes;
mod value;

pub use graph::{Fused, Graph, NodeId, Port};
pub(crate) use graph::{Inner, Input, NodeKind};
pub use passes::FusionCounts;
pub use value::{Recorder, Value};
