//! The x86-64 tiers.

mod avx2;
mod avx512;

pub use avx2::Avx2;
pub use avx512::Avx512;
