//! The aarch64 tiers. All of them have registers of 128 bits and the instructions of [`Neon`], which is the target's
//! baseline; [`Dotprod`] and [`I8mm`] add products of bytes, and only kernels of those are compiled for them.

mod dotprod;
mod halves;
mod i8mm;
mod neon;
mod quads;
#[cfg(test)]
mod tests;
mod words;

pub use dotprod::Dotprod;
pub use i8mm::I8mm;
pub use neon::Neon;
pub use quads::{Quad, Quads, Sums};
