//! Top-p, or nucleus sampling: only the most probable tokens that together have probability p.
//! (Holtzman and others: The Curious Case of Neural Text Degeneration, 2019.)

use super::candidates::{Candidate, Candidates};
use super::error::{SampleError, setting};
use super::exp::exp;
use super::processor::LogitsProcessor;

/// How many candidates are sorted first; the nucleus rarely has more. Each further round sorts as many as all before.
const FIRST_ROUND: usize = 256;

/// Keeps the smallest number of the most probable candidates whose probabilities, among all candidates, reach p; at
/// least one. They are sorted afterwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopP {
    p: f32,
}

impl TopP {
    /// Keeps a nucleus of probability `p`; 1 keeps all.
    ///
    /// # Errors
    /// If `p` is not from 0 to 1.
    pub fn new(p: f32) -> Result<Self, SampleError> {
        setting("top-p", p, "from 0 to 1", |p| (0.0..=1.0).contains(&p)).map(|p| Self { p })
    }
}

impl LogitsProcessor for TopP {
    fn process(&mut self, candidates: &mut Candidates) {
        if self.p < 1.0 {
            let wanted = f64::from(self.p) * candidates.weights().sum::<f64>();
            let largest = candidates.largest();
            let count = nucleus(candidates.list_mut(), largest, wanted);
            candidates.truncate(count);
        }
    }
}

/// Sorts the list as far as needed and returns how many at its front have weights that sum up to `wanted`.
fn nucleus(list: &mut [Candidate], largest: f64, wanted: f64) -> usize {
    let (mut sorted, mut sum) = (0, 0.0);
    while sorted < list.len() {
        let rest = &mut list[sorted..];
        let round = rest.len().min(sorted.max(FIRST_ROUND));
        if round < rest.len() {
            rest.select_nth_unstable_by(round - 1, Candidate::order);
        }
        rest[..round].sort_unstable_by(Candidate::order);
        for (place, candidate) in rest[..round].iter().enumerate() {
            sum += exp(candidate.logit - largest);
            if sum >= wanted {
                return sorted + place + 1;
            }
        }
        sorted += round;
    }
    list.len()
}
