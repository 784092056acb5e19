//! Top-k: only the k largest logits. (Fan, Lewis, Dauphin: Hierarchical Neural Story Generation, 2018.)

use super::candidates::{Candidate, Candidates};

/// Keeps the `k` candidates with the largest logits, of equal logits those with the lower ids; 0 keeps all.
pub(super) fn apply(candidates: &mut Candidates, k: usize) {
    if k > 0 && k < candidates.list().len() {
        candidates.list_mut().select_nth_unstable_by(k - 1, Candidate::order);
        candidates.truncate(k);
        // The selection leaves them in an order of its own; sums and the draw need one that is defined.
        candidates.list_mut().sort_unstable_by(Candidate::order);
    }
}
