//! The draw.

use super::candidates::Candidates;

/// The candidate at `unit`, in [0, 1), of the sum of all weights; none if there is no candidate.
pub(super) fn draw(candidates: &Candidates, unit: f64) -> Option<u32> {
    let total: f64 = candidates.list().iter().map(|candidate| candidate.weight).sum();
    let wanted = unit * total;
    let (mut sum, mut last) = (0.0, None);
    for candidate in candidates.list().iter().filter(|candidate| candidate.weight > 0.0) {
        sum += candidate.weight;
        last = Some(candidate.id);
        if sum > wanted {
            break;
        }
    }
    last
}
