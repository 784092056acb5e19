//! Pearson's test: whether counts come from a distribution.

/// The error of the first kind at which a distribution is refused.
pub const LEVEL: f64 = 1e-4;

/// Outcomes that are expected less often than this are counted together.
const LEAST: f64 = 5.0;

/// The probability that counts deviate from `probabilities` at least as far as these do, if they come from them; 0 if
/// something impossible happened.
pub fn p_value(counts: &[usize], probabilities: &[f64]) -> f64 {
    let draws = counts.iter().sum::<usize>() as f64;
    let both = || counts.iter().map(|count| *count as f64).zip(probabilities.iter().map(|p| p * draws));
    if both().any(|(count, mean)| mean == 0.0 && count > 0.0) {
        return 0.0;
    }
    let mut bins: Vec<(f64, f64)> = both().filter(|(_, mean)| *mean >= LEAST).collect();
    let rare = both().filter(|(_, mean)| *mean < LEAST).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    match bins.first_mut() {
        Some(first) if rare.1 < LEAST => *first = (first.0 + rare.0, first.1 + rare.1),
        _ => bins.push(rare),
    }
    let statistic = bins.iter().map(|(count, mean)| (count - mean).powi(2) / mean).sum();
    if bins.len() == 1 { 1.0 } else { upper_tail(statistic, bins.len() - 1) }
}

/// The probability that chi-square with `freedom` degrees is at least `x`: one minus the series of the regularized
/// incomplete gamma function (Abramowitz and Stegun 6.5.29), at freedom / 2 and x / 2.
fn upper_tail(x: f64, freedom: usize) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let (a, y) = (freedom as f64 / 2.0, x / 2.0);
    let mut log_gamma = if freedom.is_multiple_of(2) { 0.0 } else { std::f64::consts::PI.ln() / 2.0 };
    let mut factor = a;
    while factor > 0.0 {
        log_gamma += factor.ln();
        factor -= 1.0;
    }
    let (mut term, mut sum, mut n) = ((a * y.ln() - y - log_gamma).exp(), 0.0, a);
    while term > 1e-18 * sum {
        sum += term;
        n += 1.0;
        term *= y / n;
    }
    1.0 - sum
}

#[test]
fn tails_are_those_of_the_tables() {
    // Quantiles at the levels 0.05 and 1e-4.
    let table = [(1, 3.841_459, 15.136_705), (2, 5.991_465, 18.420_681), (9, 16.918_978, 33.719_948)];
    for (freedom, five_percent, rare) in table {
        assert!((upper_tail(five_percent, freedom) / 0.05 - 1.0).abs() < 1e-5, "{freedom}");
        assert!((upper_tail(rare, freedom) / 1e-4 - 1.0).abs() < 1e-5, "{freedom}");
    }
    assert!((upper_tail(1000.0, 1000) - 0.4941).abs() < 1e-3);
}

#[test]
fn impossible_and_improbable_counts_are_refused() {
    let half = [0.5, 0.5, 0.0];
    assert_eq!(p_value(&[50, 49, 1], &half), 0.0);
    assert!(p_value(&[5_200, 4_800, 0], &half) < LEVEL && p_value(&[5_050, 4_950, 0], &half) > 0.1);
    // Rare outcomes count with the first one, or together where they are enough.
    assert!(p_value(&[9_900, 90, 10], &[0.999, 0.0009, 0.0001]) < LEVEL);
    assert!(p_value(&[9_950, 25, 25], &[0.9992, 0.0004, 0.0004]) < LEVEL);
    assert!(p_value(&[9_992, 4, 4], &[0.9992, 0.0004, 0.0004]) > 0.9);
    assert_eq!(p_value(&[7, 0], &[1.0, 0.0]), 1.0);
}
