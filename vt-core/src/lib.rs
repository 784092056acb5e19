//! The core of vt: types, tensors, op specifications, the registry, graphs and plans. No kernels, files, models or
//! threads.

mod dtype;
mod elem;
mod error;
pub mod graph;
pub mod kernel;
pub mod memory;
pub mod op;
pub mod plan;
pub mod registry;
mod shape;
mod state;
mod tensor;
mod view;

pub use dtype::{DType, RaggedRow};
pub use elem::Elem;
pub use error::OpError;
pub use graph::{Graph, Recorder, Value};
pub use plan::{DeviceError, PlanError, RunError};
pub use registry::Registry;
pub use shape::{Desc, Dim, Shape, Sizes, Sym};
pub use state::{KvShape, StateSpec};
pub use tensor::{Tensor, TensorError};
pub use view::{View, ViewMut};

#[cfg(test)]
extern crate self as vt_core;
#[cfg(test)]
#[path = "../tests/suite/toy/mod.rs"]
mod toy;
