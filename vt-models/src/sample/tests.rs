//! Frequencies against distributions worked out from the definitions, edges and errors.

use super::*;

const DRAWS: usize = 20_000;

const OFF: SamplerConfig = SamplerConfig {
    temperature: 1.0,
    top_k: 0,
    top_p: 1.0,
    min_p: 0.0,
    repeat_penalty: 1.0,
    repeat_last_n: 64,
    presence_penalty: 0.0,
    frequency_penalty: 0.0,
    logit_bias: Vec::new(),
    seed: 1,
};

/// Logits of ten tokens; 2 and 7 are equal, 5 is excluded.
const LOGITS: [f32; 10] = [0.1, 1.5, 2.0, -1.0, 0.7, f32::NEG_INFINITY, -3.0, 2.0, 1.1, -0.2];

fn softmax(logits: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The distribution that the chain defines, straight from the definitions of its samplers.
fn expected(logits: &[f32], config: &SamplerConfig) -> Vec<f64> {
    let mut logits: Vec<f64> = logits.iter().map(|&logit| f64::from(logit)).collect();
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].partial_cmp(&logits[a]).unwrap().then(a.cmp(&b)));
    if config.top_k > 0 {
        order.iter().skip(config.top_k).for_each(|&id| logits[id] = f64::NEG_INFINITY);
    }
    let probabilities = softmax(&logits);
    let mut sum = 0.0;
    for &id in &order {
        if config.top_p < 1.0 && sum > 0.0 && sum >= f64::from(config.top_p) {
            logits[id] = f64::NEG_INFINITY;
        }
        sum += probabilities[id];
    }
    let probabilities = softmax(&logits);
    let largest = probabilities.iter().copied().fold(0.0, f64::max);
    for (logit, probability) in logits.iter_mut().zip(probabilities) {
        if probability < f64::from(config.min_p) * largest {
            *logit = f64::NEG_INFINITY;
        }
        *logit /= f64::from(config.temperature);
    }
    softmax(&logits)
}

fn counts(logits: &[f32], config: &SamplerConfig) -> Vec<usize> {
    let mut sampler = Sampler::new(config, logits.len()).unwrap();
    let mut counts = vec![0; logits.len()];
    (0..DRAWS).for_each(|_| counts[sampler.sample(logits).unwrap() as usize] += 1);
    counts
}

/// Pearson's statistic in standard deviations from its mean (Wilson and Hilferty's cube root makes it nearly normal);
/// infinite if something impossible happened.
fn deviation(counts: &[usize], probabilities: &[f64]) -> f64 {
    let (mut statistic, mut freedom) = (0.0, -1.0);
    for (&count, &probability) in counts.iter().zip(probabilities) {
        if probability == 0.0 {
            statistic += if count > 0 { f64::INFINITY } else { 0.0 };
            continue;
        }
        let mean = probability * DRAWS as f64;
        statistic += (count as f64 - mean).powi(2) / mean;
        freedom += 1.0;
    }
    if freedom == 0.0 {
        return statistic;
    }
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / f64::sqrt(spread)
}

#[test]
fn frequencies_are_those_of_the_definitions() {
    let configs = [
        OFF,
        SamplerConfig { temperature: 0.5, ..OFF },
        SamplerConfig { temperature: 3.0, ..OFF },
        SamplerConfig { top_k: 1, ..OFF },
        SamplerConfig { top_k: 3, ..OFF },
        SamplerConfig { top_k: 9, ..OFF },
        SamplerConfig { top_k: 100, ..OFF },
        SamplerConfig { top_p: 0.5, ..OFF },
        SamplerConfig { top_p: 0.9, ..OFF },
        SamplerConfig { top_p: 0.0, ..OFF },
        SamplerConfig { min_p: 0.3, ..OFF },
        SamplerConfig { min_p: 0.02, ..OFF },
        SamplerConfig { min_p: 1.0, ..OFF },
        SamplerConfig { temperature: 0.7, top_k: 6, top_p: 0.9, min_p: 0.1, ..OFF },
        SamplerConfig { temperature: 2.0, top_k: 7, top_p: 0.8, min_p: 0.45, ..OFF },
        SamplerConfig::default(),
    ];
    for config in configs {
        for seed in 0..3 {
            let config = SamplerConfig { seed, ..config.clone() };
            let deviation = deviation(&counts(&LOGITS, &config), &expected(&LOGITS, &config));
            assert!(deviation < 3.3, "{config:?}: {deviation}");
        }
    }
}

#[test]
fn another_distribution_would_be_noticed() {
    let seen = counts(&LOGITS, &SamplerConfig { temperature: 0.9, ..OFF });
    assert!(deviation(&seen, &expected(&LOGITS, &OFF)) > 6.0);
    assert_eq!(
        deviation(&counts(&LOGITS, &OFF), &expected(&LOGITS, &SamplerConfig { top_k: 8, ..OFF })),
        f64::INFINITY
    );
}

#[test]
fn the_order_of_the_chain_matters_and_is_kept() {
    // At temperature 4 first, top-p would keep a third token.
    let logits = [3.0, 2.0, 0.0];
    let config = SamplerConfig { temperature: 4.0, top_p: 0.9, ..OFF };
    assert_eq!(counts(&logits, &config)[2], 0);
    assert!(counts(&logits, &SamplerConfig { top_p: 1.0, ..config })[2] > 0);
}

#[test]
fn a_nucleus_of_more_than_one_round() {
    let logits: Vec<f32> = (0..3000).map(|id| ((id * 7919) % 3000) as f32 * 1e-3).collect();
    let config = SamplerConfig { top_p: 0.6, ..OFF };
    let possible = expected(&logits, &config);
    let seen = counts(&logits, &config);
    let kept = possible.iter().filter(|&&probability| probability > 0.0).count();
    assert!((600..2000).contains(&kept), "{kept}");
    assert!(seen.iter().zip(&possible).all(|(&count, &probability)| count == 0 || probability > 0.0));
    assert!(deviation(&seen, &possible) < 3.3);
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
