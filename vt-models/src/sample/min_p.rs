//! Min-p: only tokens that have at least a given part of the largest probability.
//! (Nguyen and others: Turning Up the Heat: Min-p Sampling, 2024.)

use super::candidates::Candidates;
use super::error::{SampleError, setting};
use super::exp::exp;
use super::processor::LogitsProcessor;

/// Keeps the candidates whose probability is at least p times the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinP {
    p: f32,
}

impl MinP {
    /// Keeps what has `p` times the largest probability; 0 keeps all.
    ///
    /// # Errors
    /// If `p` is not from 0 to 1.
    pub fn new(p: f32) -> Result<Self, SampleError> {
        setting("min-p", p, "from 0 to 1", |p| (0.0..=1.0).contains(&p)).map(|p| Self { p })
    }
}

impl LogitsProcessor for MinP {
    fn process(&mut self, candidates: &mut Candidates) {
        if self.p > 0.0 {
            let (p, largest) = (f64::from(self.p), candidates.largest());
            candidates.retain(|candidate| exp(candidate.logit - largest) >= p);
        }
    }
}
