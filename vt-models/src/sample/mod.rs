//! Choosing the next token from logits: a chain of samplers over [`Candidates`].
//!
//! The default chain, which [`SamplerConfig`] describes, has llama.cpp's order:
//!
//! | place | sampler | what it does |
//! |---|---|---|
//! | 1 | [`LogitBias`] | adds to the logits of given tokens, or excludes them |
//! | 2 | [`Penalties`] | lowers the logits of recent tokens, those of the prompt included |
//! | 3 | [`TopK`] | keeps the k largest logits |
//! | 4 | [`TopP`] | keeps the most probable tokens that together have probability p |
//! | 5 | [`MinP`] | keeps what has a part p of the largest probability |
//! | 6 | [`Temperature`] | divides the logits |
//! | 7 | [`Selection`] | draws one, or takes the largest logit |
//!
//! What changes the model's opinion comes before what cuts by it: a token that is excluded or penalized takes no place
//! from others. Among the cuts top-k is first, as it leaves little to sort and sum up. Top-p and min-p look at the
//! probabilities at temperature 1, of the tokens that the samplers before left: a high temperature makes the choice
//! among good tokens even and lets no bad ones in. At temperature 0 the largest logit is taken after bias and
//! penalties, among equals the lowest id.
//!
//! A sampler is a [`LogitsProcessor`]; [`Sampler::with_chain`] takes others, or another order.
//!
//! Equal logits, configuration, history and seed give equal tokens on every machine: everything is computed in f64 by
//! additions, multiplications, divisions and an exponential of our own, in a defined order, and the random numbers are
//! xoshiro256++.

mod candidates;
mod config;
mod error;
mod exp;
mod likelihood;
pub(crate) mod ln;
mod logit_bias;
mod min_p;
mod penalties;
mod processor;
mod rng;
mod sampler;
mod selection;
mod temperature;
#[cfg(test)]
mod tests;
mod top_k;
mod top_p;

pub use candidates::{Candidate, Candidates};
pub use config::SamplerConfig;
pub use error::SampleError;
pub use likelihood::log_probability;
pub use logit_bias::LogitBias;
pub use min_p::MinP;
pub use penalties::Penalties;
pub use processor::LogitsProcessor;
pub use sampler::Sampler;
pub use selection::Selection;
pub use temperature::Temperature;
pub use top_k::TopK;
pub use top_p::TopP;
