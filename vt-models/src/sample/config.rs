//! The settings of a sampler.

use super::error::setting;
use super::{LogitBias, LogitsProcessor, MinP, Penalties, SampleError, Selection, Temperature, TopK, TopP};

/// How to sample. The default is llama.cpp's, with seed 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplerConfig {
    /// Divides the logits, at least 0; 0 takes the largest logit.
    pub temperature: f32,
    /// How many of the largest logits may be chosen; 0 = all.
    pub top_k: usize,
    /// The most probable tokens are kept whose probabilities reach this sum, in [0, 1]; 1 = all.
    pub top_p: f32,
    /// The least probability to be chosen, as a part of the largest one, in [0, 1]; 0 = none.
    pub min_p: f32,
    /// Divides the positive logits of recent tokens and multiplies the others, above 0; 1 = off.
    pub repeat_penalty: f32,
    /// How many of the last tokens are recent, those of the prompt included; 0 = none.
    pub repeat_last_n: usize,
    /// Taken off the logits of recent tokens; 0 = off.
    pub presence_penalty: f32,
    /// Taken off the logits of recent tokens once for each time; 0 = off.
    pub frequency_penalty: f32,
    /// Tokens and what is added to their logits: finite, or minus infinity, which excludes the token.
    pub logit_bias: Vec<(u32, f32)>,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for SamplerConfig {
    fn default() -> Self {
        Self {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.05,
            repeat_penalty: 1.0,
            repeat_last_n: 64,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            logit_bias: Vec::new(),
            seed: 0,
        }
    }
}

impl SamplerConfig {
    /// Always the largest logit.
    pub fn greedy() -> Self {
        Self { temperature: 0.0, ..Self::default() }
    }

    /// Whether the largest logit is taken and nothing is drawn.
    pub fn is_greedy(&self) -> bool {
        self.temperature == 0.0
    }

    /// How one of the candidates is taken that the processors leave.
    pub fn selection(&self) -> Selection {
        if self.is_greedy() { Selection::Largest } else { Selection::Draw { seed: self.seed } }
    }

    /// The processors of the default chain, in its order, without those that would change nothing. At temperature 0
    /// these are logit bias and penalties: the others keep the largest logit.
    ///
    /// # Errors
    /// The first setting that is out of its range.
    pub fn processors(&self) -> Result<Vec<Box<dyn LogitsProcessor>>, SampleError> {
        self.validate()?;
        let mut chain: Vec<Box<dyn LogitsProcessor>> = Vec::new();
        if !self.logit_bias.is_empty() {
            chain.push(Box::new(LogitBias::new(&self.logit_bias)?));
        }
        let penalties = self.penalties()?;
        if penalties.is_active() {
            chain.push(Box::new(penalties));
        }
        if self.is_greedy() {
            return Ok(chain);
        }
        if self.top_k > 0 {
            chain.push(Box::new(TopK::new(self.top_k)));
        }
        if self.top_p < 1.0 {
            chain.push(Box::new(TopP::new(self.top_p)?));
        }
        if self.min_p > 0.0 {
            chain.push(Box::new(MinP::new(self.min_p)?));
        }
        if self.temperature != 1.0 {
            chain.push(Box::new(Temperature::new(self.temperature)?));
        }
        Ok(chain)
    }

    fn penalties(&self) -> Result<Penalties, SampleError> {
        Penalties::new(self.repeat_last_n, self.repeat_penalty, self.presence_penalty, self.frequency_penalty)
    }

    /// Whether every setting is in its range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), SampleError> {
        setting("temperature", self.temperature, "finite and at least 0", |t| t.is_finite() && t >= 0.0)?;
        TopP::new(self.top_p)?;
        MinP::new(self.min_p)?;
        LogitBias::new(&self.logit_bias)?;
        self.penalties().map(drop)
    }
}
