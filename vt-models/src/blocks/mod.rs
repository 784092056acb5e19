//! The parts that architectures are composed of.

mod attention;
mod decoder;
mod linear;
mod mlp;

pub use attention::{Attention, CacheTypes};
pub use decoder::{Decoder, DecoderLayer, Rows};
pub use linear::Linear;
pub use mlp::Mlp;
