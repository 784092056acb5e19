//! Top-k: only the k largest logits. (Fan, Lewis, Dauphin: Hierarchical Neural Story Generation, 2018.)

use super::candidates::{Candidate, Candidates};
use super::processor::LogitsProcessor;

/// Keeps the k candidates with the largest logits, of equal logits those with the lower ids. They are sorted if any was
/// removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopK {
    k: usize,
}

impl TopK {
    /// Keeps `k` candidates; 0 keeps all.
    pub fn new(k: usize) -> Self {
        Self { k }
    }
}

impl LogitsProcessor for TopK {
    fn process(&mut self, candidates: &mut Candidates) {
        if self.k > 0 && self.k < candidates.list().len() {
            candidates.list_mut().select_nth_unstable_by(self.k - 1, Candidate::order);
            candidates.truncate(self.k);
            // The selection leaves them in an order of its own; sums and the draw need one that is defined.
            candidates.list_mut().sort_unstable_by(Candidate::order);
        }
    }
}
