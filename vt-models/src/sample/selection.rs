//! The end of the chain: one candidate is taken.

use super::candidates::Candidates;
use super::rng::Xoshiro256;

/// How one candidate is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The largest logit, among equals the lowest id.
    Largest,
    /// At random, each candidate with its probability.
    Draw {
        /// Where the random numbers start.
        seed: u64,
    },
}

/// A selection at work.
#[derive(Debug)]
pub(super) enum Selector {
    Largest,
    /// With memory for the candidates' weights.
    Draw(Xoshiro256, Vec<f64>),
}

impl Selector {
    pub(super) fn new(selection: Selection, vocab_size: usize) -> Self {
        match selection {
            Selection::Largest => Self::Largest,
            Selection::Draw { seed } => Self::Draw(Xoshiro256::from_seed(seed), Vec::with_capacity(vocab_size)),
        }
    }

    /// One of the candidates; none if all are excluded, which uses up no random number.
    pub(super) fn select(&mut self, candidates: &Candidates) -> Option<u32> {
        let best = candidates.list().iter().min_by(|a, b| a.order(b)).filter(|best| best.logit > f64::NEG_INFINITY)?;
        match self {
            Self::Largest => Some(best.id),
            Self::Draw(rng, weights) => draw(candidates, weights, rng.unit()),
        }
    }
}

/// The token with the largest logit, among equals that with the lowest id; none if all are minus infinity.
pub(super) fn largest(logits: &[f32]) -> Option<u32> {
    let (mut best, mut largest) = (None, f32::NEG_INFINITY);
    for (id, &logit) in (0..).zip(logits) {
        if logit > largest {
            (best, largest) = (Some(id), logit);
        }
    }
    best
}

/// The candidate at `unit`, in [0, 1), of the sum of all weights.
fn draw(candidates: &Candidates, weights: &mut Vec<f64>, unit: f64) -> Option<u32> {
    weights.clear();
    weights.extend(candidates.weights());
    let wanted = unit * weights.iter().sum::<f64>();
    let (mut sum, mut last) = (0.0, None);
    for (candidate, weight) in candidates.list().iter().zip(weights.iter()).filter(|(_, weight)| **weight > 0.0) {
        sum += *weight;
        last = Some(candidate.id);
        if sum > wanted {
            break;
        }
    }
    last
}
