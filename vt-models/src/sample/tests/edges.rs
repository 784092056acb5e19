//! Ties, extremes, errors, and what must never change.

use super::{LOGITS, OFF};
use crate::sample::{SampleError, Sampler, SamplerConfig};

const DRAWS: usize = 20_000;

fn counts(logits: &[f32], config: &SamplerConfig) -> Vec<usize> {
    let mut sampler = Sampler::new(config, logits.len()).unwrap();
    let mut counts = vec![0; logits.len()];
    (0..DRAWS).for_each(|_| counts[sampler.sample(logits).unwrap() as usize] += 1);
    counts
}

#[test]
fn greedy_takes_the_lowest_id_of_the_largest() {
    let mut sampler = Sampler::new(&SamplerConfig::greedy(), 4).unwrap();
    assert_eq!(sampler.sample(&[1.0, 3.0, 3.0, 2.0]), Ok(1));
    assert_eq!(sampler.sample(&[-0.0, 0.0, -1.0, f32::NEG_INFINITY]), Ok(0));
    assert_eq!(sampler.sample(&[f32::NEG_INFINITY, f32::MIN, -2.0, f32::MIN]), Ok(2));
}

#[test]
fn ties_are_cut_at_the_lowest_ids() {
    let logits = [0.0, 1.0, -0.0, 0.0, 1.0, 0.0];
    for config in [SamplerConfig { top_k: 4, ..OFF }, SamplerConfig { top_p: 0.7, ..OFF }] {
        let seen = counts(&logits, &config);
        assert!(seen[3] == 0 && seen[5] == 0, "{config:?}: {seen:?}");
        assert!([0, 1, 2, 4].iter().all(|&id| seen[id] > 0), "{config:?}: {seen:?}");
    }
}

#[test]
fn extreme_temperatures_and_logits() {
    let logits = [f32::MAX, f32::MIN, f32::MAX, 0.0];
    for temperature in [f32::from_bits(1), 1.0, f32::MAX] {
        let seen = counts(&logits, &SamplerConfig { temperature, ..OFF });
        assert!(seen[0] > 0 && seen[2] > 0, "{temperature}: {seen:?}");
        assert_eq!(seen[1] + seen[3] == 0, temperature <= 1.0, "{temperature}: {seen:?}");
    }
}

#[test]
fn a_seed_gives_the_same_tokens_for_ever() {
    let tokens = |seed| {
        let mut sampler = Sampler::new(&SamplerConfig { seed, ..SamplerConfig::default() }, LOGITS.len()).unwrap();
        (0..16).map(|_| sampler.sample(&LOGITS).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(tokens(42), [8, 7, 0, 1, 1, 7, 2, 7, 2, 4, 7, 8, 1, 2, 7, 7]);
    assert_ne!(tokens(42), tokens(43));
}

/// Everything is on, and each token changes what comes.
fn eventful() -> SamplerConfig {
    SamplerConfig {
        repeat_penalty: 1.1,
        repeat_last_n: 5,
        presence_penalty: 0.4,
        frequency_penalty: 0.3,
        logit_bias: vec![(3, 1.5), (8, f32::NEG_INFINITY)],
        temperature: 1.2,
        seed: 42,
        ..SamplerConfig::default()
    }
}

#[test]
fn a_seed_and_a_history_give_the_same_tokens_for_ever() {
    let tokens = |history: &[u32]| {
        let mut sampler = Sampler::new(&eventful(), LOGITS.len()).unwrap();
        history.iter().for_each(|token| sampler.accept(*token));
        let mut next = || {
            let token = sampler.sample(&LOGITS).unwrap();
            sampler.accept(token);
            token
        };
        (0..24).map(|_| next()).collect::<Vec<_>>()
    };
    assert_eq!(tokens(&[2, 7, 7]), [3, 2, 3, 4, 0, 1, 7, 7, 2, 9, 4, 0, 7, 1, 2, 1, 2, 7, 3, 4, 2, 9, 7, 2]);
    assert_ne!(tokens(&[2, 7, 7]), tokens(&[]));
}

#[test]
fn greedy_obeys_bias_and_penalties() {
    let bias = |logit_bias: &[(u32, f32)]| SamplerConfig { logit_bias: logit_bias.to_vec(), ..SamplerConfig::greedy() };
    let choose = |config: &SamplerConfig, history: &[u32]| {
        let mut sampler = Sampler::new(config, LOGITS.len()).unwrap();
        history.iter().for_each(|token| sampler.accept(*token));
        sampler.sample(&LOGITS).unwrap()
    };
    assert_eq!(choose(&bias(&[]), &[]), 2);
    assert_eq!(choose(&bias(&[(2, f32::NEG_INFINITY)]), &[]), 7);
    assert_eq!(choose(&bias(&[(6, 5.5)]), &[]), 6);
    let penalized = SamplerConfig { frequency_penalty: 0.2, ..SamplerConfig::greedy() };
    assert_eq!(choose(&penalized, &[2, 7]), 2);
    assert_eq!(choose(&penalized, &[7, 2, 2]), 7);
    assert_eq!(choose(&penalized, &[2, 2, 2, 7, 7, 7]), 1);
    let mut sampler = Sampler::new(&penalized, LOGITS.len()).unwrap();
    let chosen: Vec<u32> = (0..6)
        .map(|_| {
            let t = sampler.sample(&LOGITS).unwrap();
            sampler.accept(t);
            t
        })
        .collect();
    assert_eq!(chosen, [2, 7, 2, 7, 2, 7]);
}

#[test]
fn excluded_tokens_take_no_place_among_the_largest() {
    let config = SamplerConfig { top_k: 2, logit_bias: vec![(2, f32::NEG_INFINITY), (7, f32::NEG_INFINITY)], ..OFF };
    let seen = counts(&LOGITS, &config);
    assert!((0..10).all(|id| (seen[id] > 0) == [1, 8].contains(&id)), "{seen:?}");
}

#[test]
fn what_is_left_of_nothing_is_an_error_that_uses_up_no_random_number() {
    let all = || (0..3).map(|id| (id, f32::NEG_INFINITY)).collect();
    for temperature in [0.0, 1.0] {
        let config = SamplerConfig { logit_bias: all(), temperature, top_p: 0.5, min_p: 0.1, top_k: 2, ..OFF };
        let mut sampler = Sampler::new(&config, 3).unwrap();
        assert_eq!(sampler.sample(&[1.0, 2.0, 3.0]), Err(SampleError::NothingToSample));
    }
}

#[test]
fn a_bias_without_a_token_is_an_error() {
    let config = SamplerConfig { logit_bias: vec![(2, 1.0), (3, 1.0)], ..OFF };
    assert_eq!(Sampler::new(&config, 3).unwrap_err(), SampleError::BiasToken { token: 3, vocab_size: 3 });
    assert!(Sampler::new(&config, 4).is_ok());
}

#[test]
fn bad_logits_are_errors_and_use_up_no_random_number() {
    use SampleError::{LogitCount, NothingToSample};
    for config in [OFF, SamplerConfig::greedy()] {
        let mut sampler = Sampler::new(&config, 3).unwrap();
        let mut other = Sampler::new(&config, 3).unwrap();
        assert_eq!(sampler.sample(&[0.0; 2]), Err(LogitCount { got: 2, expected: 3 }));
        assert_eq!(sampler.sample(&[f32::NEG_INFINITY; 3]), Err(NothingToSample));
        for bad in [f32::NAN, f32::INFINITY] {
            let error = sampler.sample(&[0.0, bad, bad]).unwrap_err();
            assert!(matches!(error, SampleError::BadLogit { token: 1, .. }), "{error}");
        }
        for _ in 0..50 {
            assert_eq!(sampler.sample(&[0.1, 0.2, 0.3]), other.sample(&[0.1, 0.2, 0.3]));
        }
    }
}

#[test]
fn settings_out_of_range_are_errors() {
    let bad = [
        ("temperature", SamplerConfig { temperature: -0.1, ..OFF }),
        ("temperature", SamplerConfig { temperature: f32::NAN, ..OFF }),
        ("temperature", SamplerConfig { temperature: f32::INFINITY, ..OFF }),
        ("top-p", SamplerConfig { top_p: 1.1, ..OFF }),
        ("top-p", SamplerConfig { top_p: f32::NAN, ..OFF }),
        ("min-p", SamplerConfig { min_p: -0.1, ..OFF }),
        ("repeat-penalty", SamplerConfig { repeat_penalty: 0.0, ..OFF }),
        ("repeat-penalty", SamplerConfig { repeat_penalty: f32::INFINITY, ..OFF }),
        ("presence-penalty", SamplerConfig { presence_penalty: f32::NAN, ..OFF }),
        ("frequency-penalty", SamplerConfig { frequency_penalty: f32::NEG_INFINITY, ..OFF }),
        ("logit-bias", SamplerConfig { logit_bias: vec![(1, 0.0), (0, f32::INFINITY)], ..OFF }),
        ("logit-bias", SamplerConfig { logit_bias: vec![(0, f32::NAN)], ..OFF }),
    ];
    for (setting, config) in bad {
        let error = Sampler::new(&config, 3).unwrap_err();
        assert!(matches!(error, SampleError::Setting { name, .. } if name == setting), "{error}");
    }
    assert_eq!(Sampler::new(&OFF, 0).unwrap_err(), SampleError::VocabularySize { size: 0 });
    assert_eq!(Sampler::new(&OFF, usize::MAX).unwrap_err(), SampleError::VocabularySize { size: usize::MAX });
}

#[test]
fn memory_is_reserved_once() {
    let mut sampler = Sampler::new(&SamplerConfig { top_p: 0.99, ..OFF }, 5000).unwrap();
    let memory = sampler.candidates.list().as_ptr();
    for round in 0..10 {
        let logits: Vec<f32> = (0..5000).map(|id| ((id * 31 + round) % 97) as f32 * 0.1).collect();
        sampler.sample(&logits).unwrap();
        assert_eq!(sampler.candidates.list().as_ptr(), memory);
    }
}
