//! Model architectures, tokenizers, sampling and generation.

#![forbid(unsafe_code)]

pub mod arch;
mod batch;
pub mod blocks;
mod error;
pub mod generate;
pub mod load;
mod model;
pub mod sample;
pub mod tokenizer;

pub use batch::{Batch, Wanted};
pub use error::ModelError;
pub use model::{LoadOptions, Model, Outline, Runner, inspect};
