//! The command line, through the binary.

mod checks;
#[path = "../common/mod.rs"]
mod common;
mod ends;
mod errors;
mod help;
mod hub;
mod looks;
mod measures;
mod numbers;
mod output;
mod texts;

use std::collections::HashSet;
use std::process::Command;

use common::{Models, VOCAB, stderr};
use serde_json::Value;
use vt::npy;

/// Runs a command that must fail; its message.
fn failure(mut command: Command, status: i32) -> String {
    let output = command.output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert!(output.stdout.is_empty() && message.starts_with("error: "), "{message}");
    message
}

fn eval(models: &Models, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<f32> {
    let mut all = vec!["eval", "no-tokenizer.gguf", "--out", "out.npy"];
    all.extend(arguments);
    let output = models.vt(&all).envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let file = npy::Array::from_file(&std::fs::read(models.path("out.npy")).unwrap()).unwrap();
    assert_eq!((file.kind(), file.shape()[1]), (npy::Kind::F32, VOCAB));
    let values: Vec<f32> = file.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    assert!(values.iter().all(|v| v.is_finite()) && values.len() == file.shape()[0] * VOCAB);
    values
}

/// The largest logit, the first of equals.
fn best(logits: &[f32]) -> u32 {
    (0..).zip(logits).fold((0, f32::NEG_INFINITY), |a, (id, v)| if *v > a.1 { (id, *v) } else { a }).0
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|id| u32::try_from(id.as_u64().unwrap()).unwrap()).collect()
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn keys(value: &Value) -> HashSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
