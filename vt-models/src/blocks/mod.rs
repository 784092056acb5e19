//! The parts that architectures are composed of.

mod attention;
mod attention_spec;
mod decoder;
mod delta_net;
mod delta_net_spec;
mod feed_forward;
mod gated_attention;
mod hybrid_spec;
mod linear;
mod mlp;
mod moe;
mod moe_spec;
mod norm;
mod pre_norm;
mod rotary;
mod sandwich;
mod scaled;

pub use attention::Attention;
pub use attention_spec::{AttentionSpec, CacheTypes};
pub use decoder::{Block, Decoder, Rows};
pub use delta_net::DeltaNet;
pub use delta_net_spec::DeltaNetSpec;
pub use feed_forward::FeedForward;
pub use gated_attention::GatedAttention;
pub use hybrid_spec::HybridSpec;
pub use linear::Linear;
pub use mlp::{Activation, Mlp};
pub use moe::Moe;
pub use moe_spec::MoeSpec;
pub use norm::Norm;
pub use pre_norm::PreNorm;
pub use rotary::Rotary;
pub use sandwich::Sandwich;
pub use scaled::Scaled;
