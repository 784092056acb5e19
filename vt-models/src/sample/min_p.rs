//! Min-p: only tokens that have at least a given part of the largest probability.
//! (Nguyen and others: Turning Up the Heat: Min-p Sampling, 2024.)

use super::candidates::Candidates;

/// Keeps the candidates whose probability is at least `p` times the largest; 0 keeps all.
pub(super) fn apply(candidates: &mut Candidates, p: f32) {
    if p > 0.0 {
        // The largest weight is exactly 1.
        candidates.retain(|candidate| candidate.weight >= f64::from(p));
    }
}
