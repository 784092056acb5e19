//! Logit bias: what the user adds to tokens' logits.

use super::candidates::Candidates;
use super::error::{SampleError, setting};
use super::processor::LogitsProcessor;

/// Adds to the logits of some tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct LogitBias {
    biases: Vec<(u32, f32)>,
}

impl LogitBias {
    /// Adds to each token's logit its bias; those of a token that is named several times add up. Minus infinity
    /// excludes the token.
    ///
    /// # Errors
    /// If a bias is NaN or plus infinity.
    pub fn new(biases: &[(u32, f32)]) -> Result<Self, SampleError> {
        for (_, bias) in biases {
            setting("logit-bias", *bias, "finite or -inf", |bias| bias < f32::INFINITY)?;
        }
        Ok(Self { biases: biases.to_vec() })
    }
}

impl LogitsProcessor for LogitBias {
    fn process(&mut self, candidates: &mut Candidates) {
        for (id, bias) in &self.biases {
            if let Some(candidate) = candidates.get_mut(*id) {
                candidate.logit += f64::from(*bias);
            }
        }
    }
}
