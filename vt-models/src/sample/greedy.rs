//! Temperature 0.

/// The token with the largest logit, among equals that with the lowest id; none if all are minus infinity.
pub(super) fn best(logits: &[f32]) -> Option<u32> {
    let mut best = None;
    let mut largest = f32::NEG_INFINITY;
    for (id, &logit) in (0..).zip(logits) {
        if logit > largest {
            (best, largest) = (Some(id), logit);
        }
    }
    best
}
