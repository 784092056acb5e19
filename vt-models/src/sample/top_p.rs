//! Top-p, or nucleus sampling: only the most probable tokens that together have probability p.
//! (Holtzman and others: The Curious Case of Neural Text Degeneration, 2019.)

use super::candidates::{Candidate, Candidates};

/// How many candidates are sorted first; the nucleus rarely has more. Each further round sorts as many as all before.
const FIRST_ROUND: usize = 256;

/// Keeps the smallest number of the most probable candidates whose probabilities, among all candidates, reach `p`;
/// at least one; 1 keeps all. They are sorted afterwards.
pub(super) fn apply(candidates: &mut Candidates, p: f32) {
    if p >= 1.0 {
        return;
    }
    let total: f64 = candidates.list().iter().map(|candidate| candidate.weight).sum();
    let count = nucleus(candidates.list_mut(), f64::from(p) * total);
    candidates.truncate(count);
}

/// Sorts the list as far as needed and returns how many at its front have weights that sum up to `wanted`.
fn nucleus(list: &mut [Candidate], wanted: f64) -> usize {
    let (mut sorted, mut sum) = (0, 0.0);
    while sorted < list.len() {
        let rest = &mut list[sorted..];
        let round = rest.len().min(sorted.max(FIRST_ROUND));
        if round < rest.len() {
            rest.select_nth_unstable_by(round - 1, Candidate::order);
        }
        rest[..round].sort_unstable_by(Candidate::order);
        for (place, candidate) in rest[..round].iter().enumerate() {
            sum += candidate.weight;
            if sum >= wanted {
                return sorted + place + 1;
            }
        }
        sorted += round;
    }
    list.len()
}
