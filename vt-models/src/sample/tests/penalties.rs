//! Penalties while tokens come, against counting them anew each time.

use super::reference::{Step, logits};
use crate::sample::candidates::Candidates;
use crate::sample::rng::Xoshiro256;
use crate::sample::{LogitsProcessor, Penalties};

const VOCAB: usize = 13;

#[test]
fn the_window_slides_over_the_history() {
    let mut random = Xoshiro256::from_seed(5);
    for last_n in [1, 2, 7, 64] {
        let settings = Step::Penalties { last_n, repeat: 1.3, presence: 0.25, frequency: 0.5 };
        let mut penalties = settings.processor();
        let mut history = Vec::new();
        for _ in 0..200 {
            let given: Vec<f32> = (0..VOCAB).map(|_| random.unit() as f32 * 8.0 - 4.0).collect();
            let mut candidates = Candidates::new(VOCAB).unwrap();
            candidates.load(&given);
            penalties.process(&mut candidates);
            let expected = logits(&given, &history, std::slice::from_ref(&settings));
            for (candidate, expected) in candidates.list().iter().zip(expected) {
                assert!((candidate.logit - expected).abs() < 1e-12, "{last_n}, after {history:?}");
            }
            let token = (random.unit() * VOCAB as f64) as u32;
            penalties.accept(token);
            history.push(token);
        }
    }
}

#[test]
fn a_huge_window_takes_memory_as_it_fills() {
    let mut penalties = Penalties::new(usize::MAX, 2.0, 0.0, 0.0).unwrap();
    (0..1000).for_each(|token| penalties.accept(token % 7));
    let mut candidates = Candidates::new(VOCAB).unwrap();
    candidates.load(&[1.0; VOCAB]);
    penalties.process(&mut candidates);
    let logits: Vec<f64> = candidates.list().iter().map(|candidate| candidate.logit).collect();
    assert_eq!(logits, [[0.5; 7].as_slice(), &[1.0; 6]].concat());
}

#[test]
fn tokens_that_are_no_candidates_are_passed_over() {
    let mut penalties = Penalties::new(8, 1.0, 1.0, 0.0).unwrap();
    [0, 5, u32::MAX].iter().for_each(|token| penalties.accept(*token));
    let mut candidates = Candidates::new(VOCAB).unwrap();
    candidates.load(&[3.0; VOCAB]);
    candidates.retain(|candidate| candidate.id != 0);
    penalties.process(&mut candidates);
    let changed: Vec<u32> = candidates.list().iter().filter(|c| c.logit != 3.0).map(|c| c.id).collect();
    assert_eq!((changed, candidates.list().len()), (vec![5], VOCAB - 1));
}
