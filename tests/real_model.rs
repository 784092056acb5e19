//! A real model against llama.cpp's answers.
//!
//! It needs the file that `vt pull smollm2` fetches, and fails without it; `VT_TEST_MODELS=skip` leaves it out.

mod tiny;

use std::path::Path;
use std::{env, fs};

use serde_json::Value;
use tiny::compare::same_up_to_near_ties;
use tiny::run::{self, Setup};
use vt::config::Config;
use vt::gguf::Gguf;
use vt::pull::Source;

/// The noise of llama.cpp's own ways to compute a quantized model: below this a gap between two logits says nothing.
const NEAR: f32 = 0.25;

/// The model's file; `None` if it is to be left out.
fn model() -> Option<Gguf> {
    match env::var("VT_TEST_MODELS").as_deref() {
        Ok("skip") => return None,
        Ok("required") | Err(_) => {}
        Ok(other) => panic!("VT_TEST_MODELS: expected `required` or `skip`, found `{other}`"),
    }
    let source = Source::find("smollm2").unwrap();
    let folder = Config::from_env().unwrap().models.expect("no folder for models: set VT_MODELS or HOME");
    let path = source.installed(&folder).unwrap_or_else(|| {
        let (file, folder, name) = (source.file, folder.display(), source.name);
        panic!("{file} is not in {folder}: `vt pull {name}` fetches it, VT_TEST_MODELS=skip leaves this test out")
    });
    Some(Gguf::open(path).unwrap())
}

fn answers() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens/models/smollm2.json");
    let file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(file["sha256"], Source::find("smollm2").unwrap().sha256, "the answers are another model's");
    file["answers"].as_array().unwrap().clone()
}

fn tokens(answer: &Value, key: &str) -> Vec<u32> {
    serde_json::from_value(answer[key].clone()).unwrap()
}

fn gaps(answer: &Value) -> Vec<f32> {
    serde_json::from_value(answer["gaps"].clone()).unwrap()
}

#[test]
fn greedy_tokens_are_those_of_llama_cpp() {
    let Some(gguf) = model() else { return };
    // One thread: a machine that is busy otherwise keeps a team of threads waiting at its barriers.
    let model = Setup { threads: 1, ..Setup::default() }.load(&gguf);
    let answers = answers();
    let mut compared = 0;
    for answer in &answers {
        let expected: Vec<(u32, f32)> = tokens(answer, "tokens").into_iter().zip(gaps(answer)).collect();
        let found = run::greedy(&model, &tokens(answer, "prompt"), expected.len());
        let found: Vec<u32> = found.iter().map(|(token, _)| *token).collect();
        compared += same_up_to_near_ties(&found, &expected, NEAR, &answer["text"].to_string());
    }
    assert!(answers.len() >= 10 && compared >= 100, "only {compared} tokens of {} answers compared", answers.len());
}
