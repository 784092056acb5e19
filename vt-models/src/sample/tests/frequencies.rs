//! Frequencies of draws against the exact probabilities.

use super::chi_square::{LEVEL, p_value};
use super::reference::{Step, distribution, steps};
use super::{LOGITS, OFF};
use crate::sample::{Sampler, SamplerConfig, Selection};

const DRAWS: usize = 20_000;

const HISTORY: [u32; 9] = [2, 9, 1, 1, 4, 1, 2, 6, 0];

/// How often each token is drawn by a sampler that has seen `history`.
fn counts(mut sampler: Sampler, logits: &[f32], history: &[u32]) -> Vec<usize> {
    history.iter().for_each(|token| sampler.accept(*token));
    let mut counts = vec![0; logits.len()];
    (0..DRAWS).for_each(|_| counts[sampler.sample(logits).unwrap() as usize] += 1);
    counts
}

fn counts_of(config: &SamplerConfig, logits: &[f32]) -> Vec<usize> {
    counts(Sampler::new(config, logits.len()).unwrap(), logits, &HISTORY)
}

/// Draws with several seeds.
fn check(config: &SamplerConfig) {
    let expected = distribution(&LOGITS, &HISTORY, &steps(config));
    for seed in 0..3 {
        let config = SamplerConfig { seed, ..config.clone() };
        let p = p_value(&counts_of(&config, &LOGITS), &expected);
        assert!(p > LEVEL, "{config:?}: {p}");
    }
}

fn check_chain(chain: &[Step]) {
    let expected = distribution(&LOGITS, &HISTORY, chain);
    for seed in 0..3 {
        let processors = chain.iter().map(Step::processor).collect();
        let sampler = Sampler::with_chain(processors, Selection::Draw { seed }, LOGITS.len()).unwrap();
        let p = p_value(&counts(sampler, &LOGITS, &HISTORY), &expected);
        assert!(p > LEVEL, "{chain:?}, seed {seed}: {p}");
    }
}

#[test]
fn the_draw_and_temperature() {
    check(&OFF);
    [0.5, 0.9, 3.0].into_iter().for_each(|temperature| check(&SamplerConfig { temperature, ..OFF }));
}

#[test]
fn top_k() {
    [1, 3, 9, 100].into_iter().for_each(|top_k| check(&SamplerConfig { top_k, ..OFF }));
}

#[test]
fn top_p() {
    [0.0, 0.5, 0.9, 0.999].into_iter().for_each(|top_p| check(&SamplerConfig { top_p, ..OFF }));
}

#[test]
fn min_p() {
    [0.02, 0.3, 1.0].into_iter().for_each(|min_p| check(&SamplerConfig { min_p, ..OFF }));
}

#[test]
fn penalties() {
    [0.5, 1.3, 4.0].into_iter().for_each(|repeat_penalty| check(&SamplerConfig { repeat_penalty, ..OFF }));
    [-0.5, 0.7].into_iter().for_each(|presence_penalty| check(&SamplerConfig { presence_penalty, ..OFF }));
    [-0.3, 0.4].into_iter().for_each(|frequency_penalty| check(&SamplerConfig { frequency_penalty, ..OFF }));
    for repeat_last_n in [0, 1, 5, 8, 9, 1000] {
        let all = SamplerConfig { repeat_penalty: 1.2, presence_penalty: 0.3, frequency_penalty: 0.2, ..OFF };
        check(&SamplerConfig { repeat_last_n, ..all });
    }
}

#[test]
fn logit_bias() {
    let biases: [&[(u32, f32)]; 4] =
        [&[(3, 2.0)], &[(2, f32::NEG_INFINITY), (0, -0.5)], &[(8, 1.0), (8, 0.5)], &[(5, 100.0)]];
    biases.into_iter().for_each(|bias| check(&SamplerConfig { logit_bias: bias.to_vec(), ..OFF }));
}

#[test]
fn default_chains() {
    let penalized = SamplerConfig {
        logit_bias: vec![(7, f32::NEG_INFINITY), (3, 2.5)],
        repeat_penalty: 1.2,
        repeat_last_n: 6,
        presence_penalty: 0.2,
        frequency_penalty: 0.1,
        ..OFF
    };
    check(&SamplerConfig { temperature: 0.7, top_k: 6, top_p: 0.9, min_p: 0.1, ..OFF });
    check(&SamplerConfig { temperature: 2.0, top_k: 7, top_p: 0.8, min_p: 0.45, ..OFF });
    check(&SamplerConfig::default());
    check(&SamplerConfig { temperature: 1.5, top_k: 5, ..penalized.clone() });
    check(&SamplerConfig { temperature: 0.6, top_p: 0.85, ..penalized.clone() });
    check(&SamplerConfig { temperature: 1.3, top_k: 8, top_p: 0.95, min_p: 0.1, ..penalized });
}

#[test]
fn chains_of_another_order() {
    let penalties = Step::Penalties { last_n: 5, repeat: 1.5, presence: 0.4, frequency: 0.2 };
    check_chain(&[Step::Temperature(2.0), Step::TopP(0.8)]);
    check_chain(&[Step::TopP(0.8), penalties.clone(), Step::Temperature(0.8)]);
    check_chain(&[Step::MinP(0.1), Step::Bias(vec![(1, -1.0), (6, 9.0)]), Step::TopK(3)]);
    check_chain(&[Step::TopK(6), Step::Temperature(0.5), penalties, Step::Temperature(2.0), Step::TopK(4)]);
}

#[test]
fn another_distribution_would_be_noticed() {
    let refused = |config: &SamplerConfig, other: &SamplerConfig| {
        let expected = distribution(&LOGITS, &HISTORY, &steps(other));
        p_value(&counts_of(config, &LOGITS), &expected) < LEVEL
    };
    assert!(refused(&SamplerConfig { temperature: 0.9, ..OFF }, &OFF));
    assert!(refused(&OFF, &SamplerConfig { top_k: 8, ..OFF }));
    assert!(refused(&SamplerConfig { frequency_penalty: 0.05, ..OFF }, &OFF));
    assert!(refused(&SamplerConfig { logit_bias: vec![(0, 0.3)], ..OFF }, &OFF));
    assert!(!refused(&OFF, &OFF));
}

#[test]
fn the_order_of_the_chain_matters_and_is_kept() {
    // At temperature 4 first, top-p would keep a third token.
    let logits = [3.0, 2.0, 0.0];
    let config = SamplerConfig { temperature: 4.0, top_p: 0.9, ..OFF };
    assert_eq!(counts_of(&config, &logits)[2], 0);
    assert!(counts_of(&SamplerConfig { top_p: 1.0, ..config }, &logits)[2] > 0);
    let chain = [Step::Temperature(4.0), Step::TopP(0.9)].map(|step| step.processor());
    let sampler = Sampler::with_chain(chain.into(), Selection::Draw { seed: 1 }, 3).unwrap();
    assert!(counts(sampler, &logits, &[])[2] > 0);
}

#[test]
fn a_nucleus_of_more_than_one_round() {
    let logits: Vec<f32> = (0..3000).map(|id| ((id * 7919) % 3000) as f32 * 1e-3).collect();
    let config = SamplerConfig { top_p: 0.6, ..OFF };
    let expected = distribution(&logits, &[], &steps(&config));
    let kept = expected.iter().filter(|probability| **probability > 0.0).count();
    assert!((600..2000).contains(&kept), "{kept}");
    let p = p_value(&counts_of(&config, &logits), &expected);
    assert!(p > LEVEL, "{p}");
}
