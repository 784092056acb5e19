//! How probable a token is.

use super::exp::exp;
use super::ln::ln;

/// The natural logarithm of a token's probability, by the softmax of the logits of all tokens in f64. Equal logits give
/// equal results on every machine.
///
/// NaN if a logit is NaN or plus infinity, or all are minus infinity; minus infinity for a token without a logit.
///
/// ```
/// use vt_models::sample::log_probability;
///
/// let half = log_probability(&[1.0, f32::NEG_INFINITY, 1.0], 2);
/// assert!((half - 0.5_f64.ln()).abs() < 1e-15);
/// ```
pub fn log_probability(logits: &[f32], token: u32) -> f64 {
    let logit = usize::try_from(token).ok().and_then(|token| logits.get(token)).copied();
    let distance = |logit: f32, largest: f32| f64::from(logit) - f64::from(largest);
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f64 = logits.iter().map(|logit| exp(distance(*logit, largest))).sum();
    if total.is_nan() {
        return f64::NAN;
    }
    logit.map_or(f64::NEG_INFINITY, |logit| distance(logit, largest) - ln(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_softmax() {
        let logits: Vec<f32> = (0..500).map(|i| ((i * 7919) % 503) as f32 * 0.05 - 9.0).collect();
        let total: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
        for (token, logit) in (0..).zip(&logits) {
            let expected = f64::from(*logit) - total.ln();
            assert!((log_probability(&logits, token) - expected).abs() < 1e-13 * expected.abs(), "{token}");
        }
    }

    #[test]
    fn what_has_no_probability() {
        let none = f32::NEG_INFINITY;
        assert_eq!(log_probability(&[0.0, none], 1), f64::NEG_INFINITY);
        assert_eq!(log_probability(&[0.0, none], 2), f64::NEG_INFINITY);
        assert_eq!(log_probability(&[f32::MAX, f32::MIN], 0), 0.0);
        for bad in [[none, none], [f32::NAN, 0.0], [f32::INFINITY, 0.0]] {
            assert!(log_probability(&bad, 1).is_nan(), "{bad:?}");
        }
    }
}
