//! The CPU backend of vt.

pub mod arch;
pub mod attention;
pub mod block;
mod config;
mod decode;
mod device;
pub mod float;
pub mod math;
mod ops;
pub mod quant;
pub mod team;

pub use config::{Config, ConfigError, TierName};

/// The name of the CPU device.
pub const CPU: &str = "cpu";
