//! Float arithmetic: dot products, matmul with float weights, RMS normalization, rotary embedding. Results are the same
//! bits in every tier; each file states its order of operations.

pub(crate) mod causal_conv;
pub(crate) mod delta_rule;
mod few;
pub mod half;
mod l2_norm;
pub mod lanes;
mod many;
mod matmul;
#[cfg(test)]
mod matmul_tests;
pub(crate) mod pairs;
mod panel;
mod rms_norm;
mod rope;
mod tile;
mod weight;

pub use l2_norm::l2_norm;
pub use matmul::{matmul, matmul_scratch};
pub use rms_norm::rms_norm;
pub use rope::{rope, rope_angles, rope_frequencies};
pub use weight::Weight;
pub(crate) use weight::widen_row;
