//! Graphs: ops recorded with their inputs, and the passes over them.

pub(crate) mod decompose;
pub(crate) mod fuse;
#[expect(clippy::module_inception, reason = "the file holds the type that the module is named for")]
mod graph;
mod inner;
pub(crate) mod passes;
mod value;

pub use fuse::FusionCounts;
pub use graph::{Fused, Graph, NodeId, Port};
pub(crate) use inner::{Inner, Input, NodeKind};
pub use value::{Recorder, Value};
