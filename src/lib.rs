//! vt: a tensor runtime that computes GGUF models in their quantized blocks.
//!
//! This crate puts the others together: [`default_registry`] knows every op, the CPU and its kernels.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod chat;
pub mod check;
pub mod config;
pub mod measure;
pub mod npy;
pub mod pull;
pub mod validate;

use std::sync::Arc;

pub use vt_core as core;
pub use vt_cpu as cpu;
pub use vt_gguf as gguf;
pub use vt_models as models;
pub use vt_ops as ops;

use thiserror::Error;
use vt_core::Registry;
use vt_core::registry::RegistryError;

/// The default registry could not be made.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The CPU backend cannot be set up like this.
    #[error(transparent)]
    Cpu(#[from] vt_cpu::ConfigError),
    /// Registrations clash.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// A registry of all ops, with the CPU as its only device.
///
/// # Errors
/// If this machine lacks the tier, or the number of threads is impossible.
pub fn default_registry(cpu: vt_cpu::Config) -> Result<Arc<Registry>, SetupError> {
    Ok(Arc::new(Registry::builder().with(vt_ops::register).with(cpu.backend()?).build()?))
}
