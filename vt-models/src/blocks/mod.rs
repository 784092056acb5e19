//! The parts that architectures are composed of.

mod attention;
mod attention_spec;
mod decoder;
mod feed_forward;
mod latent_attention;
mod latent_spec;
mod linear;
mod mlp;
mod moe;
mod moe_spec;
mod norm;
mod pre_norm;
mod rope_scaling;
mod rotary;
mod sandwich;
mod scaled;
mod sections;

pub use attention::Attention;
pub use attention_spec::{AttentionSpec, CacheTypes};
pub use decoder::{Block, Decoder, Rows};
pub use feed_forward::FeedForward;
pub use latent_attention::LatentAttention;
pub use latent_spec::LatentSpec;
pub use linear::Linear;
pub use mlp::{Activation, Mlp};
pub use moe::Moe;
pub use moe_spec::MoeSpec;
pub use norm::Norm;
pub use pre_norm::PreNorm;
pub use rope_scaling::yarn_magnitude;
pub use rotary::Rotary;
pub use sandwich::Sandwich;
pub use scaled::Scaled;
pub use sections::Sections;
