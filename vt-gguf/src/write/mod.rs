//! The writer.

mod encode;
mod writer;

pub use encode::{Element, Encode};
pub use writer::{WriteError, Writer};
