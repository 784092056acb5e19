//! What llama.cpp's samplers leave of the same logits. `tests/data/samplers.py` wrote the file.

use serde_json::Value;

use crate::sample::candidates::Candidates;
use crate::sample::{Candidate, SamplerConfig};

/// llama.cpp computes in f32 what vt computes in f64.
const ROUNDINGS: f64 = 4.0 * f32::EPSILON as f64;

fn number(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

fn id(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn list<T>(value: &Value, each: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(each).collect()
}

fn config(value: &Value) -> SamplerConfig {
    SamplerConfig {
        temperature: number(&value["temperature"]),
        top_k: id(&value["top_k"]) as usize,
        top_p: number(&value["top_p"]),
        min_p: number(&value["min_p"]),
        repeat_penalty: number(&value["repeat_penalty"]),
        repeat_last_n: id(&value["repeat_last_n"]) as usize,
        presence_penalty: number(&value["presence_penalty"]),
        frequency_penalty: number(&value["frequency_penalty"]),
        logit_bias: list(&value["logit_bias"], |pair| (id(&pair[0]), number(&pair[1]))),
        seed: 0,
    }
}

/// What the default chain leaves, by ids.
fn left(config: &SamplerConfig, history: &[u32], logits: &[f32]) -> Vec<Candidate> {
    let mut candidates = Candidates::new(logits.len()).unwrap();
    candidates.load(logits);
    for mut processor in config.processors().unwrap() {
        history.iter().for_each(|token| processor.accept(*token));
        processor.process(&mut candidates);
    }
    candidates.list_mut().sort_by_key(|candidate| candidate.id);
    candidates.list().to_vec()
}

#[test]
fn chains_leave_what_llama_cpp_leaves() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../tests/data/samplers.json")).unwrap();
    assert_eq!(cases.len(), 60);
    for case in cases {
        let (config, history) = (config(&case["config"]), list(&case["history"], id));
        let found = left(&config, &history, &list(&case["logits"], number));
        let expected = list(&case["left"], |pair| (id(&pair[0]), number(&pair[1])));
        let ids: Vec<u32> = found.iter().map(|candidate| candidate.id).collect();
        assert_eq!(ids, expected.iter().map(|(id, _)| *id).collect::<Vec<_>>(), "{config:?} after {history:?}");
        for (candidate, (_, logit)) in found.iter().zip(expected) {
            let (ours, theirs) = (candidate.logit, f64::from(logit));
            let close = (ours - theirs).abs() <= ROUNDINGS * theirs.abs().max(1.0);
            assert!(close, "token {}: {ours}, not {theirs}: {config:?} after {history:?}", candidate.id);
        }
    }
}
