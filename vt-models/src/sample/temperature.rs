//! Temperature: sharper below 1, flatter above.

use super::candidates::Candidates;

/// Divides the logits by `temperature`, which is above 0.
pub(super) fn apply(candidates: &mut Candidates, temperature: f32) {
    // The weights are those of temperature 1.
    if temperature != 1.0 {
        candidates.weigh(temperature);
    }
}
