//! Temperature: sharper below 1, flatter above.

use super::candidates::Candidates;
use super::error::{SampleError, setting};
use super::processor::LogitsProcessor;

/// Divides the logits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature {
    temperature: f32,
}

impl Temperature {
    /// Divides by `temperature`.
    ///
    /// # Errors
    /// If it is not finite and above 0: 0 is [`Selection::Largest`](super::Selection::Largest).
    pub fn new(temperature: f32) -> Result<Self, SampleError> {
        setting("temperature", temperature, "finite and above 0", |t| t.is_finite() && t > 0.0)
            .map(|temperature| Self { temperature })
    }
}

impl LogitsProcessor for Temperature {
    fn process(&mut self, candidates: &mut Candidates) {
        let temperature = f64::from(self.temperature);
        candidates.list_mut().iter_mut().for_each(|candidate| candidate.logit /= temperature);
    }
}
