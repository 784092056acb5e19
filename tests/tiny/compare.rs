//! How far logits are from each other.

/// The squared distance from `expected`, over the square of that: the normalized mean squared error.
pub fn nmse(found: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let square = |x: f64| x * x;
    let distance: f64 = found.iter().zip(expected).map(|(a, b)| square(f64::from(*a) - f64::from(*b))).sum();
    distance / expected.iter().map(|b| square(f64::from(*b))).sum::<f64>()
}

/// The largest logit's token, the lowest on ties, and how far the next one is below it.
pub fn best(logits: &[f32]) -> (u32, f32) {
    let mut best = 0;
    let mut second = f32::NEG_INFINITY;
    for (i, x) in logits.iter().enumerate().skip(1) {
        if *x > logits[best] {
            second = logits[best];
            best = i;
        } else {
            second = second.max(*x);
        }
    }
    (best as u32, logits[best] - second)
}

/// Checks greedy tokens up to the first place where the gap between the two best logits is below `near`: which of
/// those comes first says nothing. Returns how many were compared.
pub fn same_up_to_near_ties(found: &[u32], expected: &[(u32, f32)], near: f32, what: &str) -> usize {
    let sure = expected.iter().take_while(|(_, gap)| *gap >= near).count();
    let expected: Vec<u32> = expected[..sure].iter().map(|(token, _)| *token).collect();
    assert_eq!(found[..sure], expected, "{what}");
    sure
}
