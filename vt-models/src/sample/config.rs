//! The settings of a sampler.

use super::error::SampleError;

/// How to sample. The default is llama.cpp's, with seed 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerConfig {
    /// Divides the logits, at least 0; 0 takes the largest logit.
    pub temperature: f32,
    /// How many of the largest logits may be chosen; 0 = all.
    pub top_k: usize,
    /// The most probable tokens are kept whose probabilities reach this sum, in [0, 1]; 1 = all.
    pub top_p: f32,
    /// The least probability to be chosen, as a part of the largest one, in [0, 1]; 0 = none.
    pub min_p: f32,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for SamplerConfig {
    fn default() -> Self {
        Self { temperature: 0.8, top_k: 40, top_p: 0.95, min_p: 0.05, seed: 0 }
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

    /// Whether every setting is in its range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), SampleError> {
        let unit = |value: f32| (0.0..=1.0).contains(&value);
        let settings = [
            (
                "temperature",
                self.temperature,
                "finite and at least 0",
                self.temperature.is_finite() && self.temperature >= 0.0,
            ),
            ("top-p", self.top_p, "from 0 to 1", unit(self.top_p)),
            ("min-p", self.min_p, "from 0 to 1", unit(self.min_p)),
        ];
        match settings.into_iter().find(|&(_, _, _, valid)| !valid) {
            Some((name, value, range, _)) => Err(SampleError::Setting { name, value, range }),
            None => Ok(()),
        }
    }
}
