//! Choosing the next token from logits.
//!
//! [`Sampler`] applies its samplers always in this order, which is llama.cpp's: top-k, top-p, min-p, temperature, then
//! a draw. Top-p and min-p so look at the probabilities at temperature 1, of the tokens that the samplers before left.
//! At temperature 0 the token with the largest logit is taken, among equals that with the lowest id.
//!
//! Equal logits, configuration and seed give equal tokens on every machine: probabilities are computed in f64 by
//! additions, multiplications and an exponential of our own, and the random numbers are xoshiro256++.

mod candidates;
mod config;
mod draw;
mod error;
mod exp;
mod greedy;
mod min_p;
mod rng;
mod temperature;
#[cfg(test)]
mod tests;
mod top_k;
mod top_p;

pub use config::SamplerConfig;
pub use error::SampleError;

use candidates::Candidates;
use rng::Xoshiro256;

/// Chooses tokens. All its memory is reserved when it is made.
#[derive(Debug, Clone)]
pub struct Sampler {
    config: SamplerConfig,
    candidates: Candidates,
    rng: Xoshiro256,
}

impl Sampler {
    /// A sampler for logits of `vocab_size` tokens.
    ///
    /// # Errors
    /// A setting out of its range, or a vocabulary that is empty or larger than 32-bit ids can name.
    pub fn new(config: SamplerConfig, vocab_size: usize) -> Result<Self, SampleError> {
        config.validate()?;
        Ok(Self { config, candidates: Candidates::new(vocab_size)?, rng: Xoshiro256::from_seed(config.seed) })
    }

    /// What it was made with.
    pub fn config(&self) -> &SamplerConfig {
        &self.config
    }

    /// Chooses a token by its logit, one per token of the vocabulary. A logit of minus infinity excludes its token.
    /// Allocates nothing.
    ///
    /// # Errors
    /// Logits of another number, NaN or plus infinity among them, or no token left to choose. No random number is
    /// used up then.
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, SampleError> {
        if self.config.is_greedy() {
            self.candidates.check(logits)?;
            return greedy::best(logits).ok_or(SampleError::NothingToSample);
        }
        self.candidates.load(logits)?;
        top_k::apply(&mut self.candidates, self.config.top_k);
        self.candidates.weigh(1.0);
        top_p::apply(&mut self.candidates, self.config.top_p);
        min_p::apply(&mut self.candidates, self.config.min_p);
        temperature::apply(&mut self.candidates, self.config.temperature);
        draw::draw(&self.candidates, self.rng.unit()).ok_or(SampleError::NothingToSample)
    }
}
