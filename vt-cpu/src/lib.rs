//! The CPU backend of vt.

pub mod arch;
mod attention;
mod block;
mod config;
mod decode;
mod device;
mod experts;
mod float;
mod limits;
pub mod math;
mod ops;
mod quant;
pub mod team;

pub use config::{Config, ConfigError, TierName};
pub use limits::{Limits, LimitsError};

/// The name of the CPU device.
pub const CPU: &str = "cpu";
