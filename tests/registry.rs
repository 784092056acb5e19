//! A registry without some kernels still runs a model: the loader decodes what the device does not multiply.

mod tiny;

use std::sync::Arc;

use tiny::compare::{nmse, same_up_to_near_ties};
use tiny::run::{self, Setup};
use vt::core::{DType, Registry};
use vt::gguf::{Gguf, Residency, Role};
use vt::models::Model;

/// The gap below which the two best logits are a near tie here: the noise of quantized activations.
const NEAR: f32 = 0.2;

fn file() -> Gguf {
    run::open(tiny::find("llama-mixed").file())
}

/// A registry without the block matmul's kernels whose name has `part` in it.
fn without(part: &str) -> Arc<Registry> {
    let quant = |op: &str, _: &str, kernel: &str| op == "matmul_bt_quant" && kernel.contains(part);
    Arc::new(Setup::default().builder().without(quant).build().unwrap())
}

/// What became of the tensors of a type, each with its reason.
fn fate(model: &Model, gguf: &Gguf, dtype: DType) -> Vec<(Residency, String)> {
    let of_type = |name: &str| gguf.info(name).unwrap().tensor_type().dtype() == Some(dtype);
    let uses = model.tensors().iter().filter(|used| of_type(&used.name));
    uses.map(|used| (used.decision.residency, used.decision.reason.to_string())).collect()
}

/// Greedy tokens after some prompts are those of a complete registry, up to near ties, and so are the logits but for
/// the noise of quantized activations.
fn same_tokens(model: &Arc<Model>) {
    let complete = Setup::default().load(&file());
    let mut compared = 0;
    for seed in 0..8 {
        let prompt = tiny::tokens(seed, 9);
        let expected = run::greedy(&complete, &prompt, 16);
        let found: Vec<u32> = run::greedy(model, &prompt, 16).iter().map(|(token, _)| *token).collect();
        compared += same_up_to_near_ties(&found, &expected, NEAR, &format!("prompt {seed}"));
        let distance = nmse(&run::logits(model, &prompt, 512), &run::logits(&complete, &prompt, 512));
        assert!(distance > 0.0 && distance < 2e-3, "prompt {seed}: {distance:e}");
    }
    assert!(compared >= 20, "only {compared} tokens compared");
}

#[test]
fn without_kernels_of_one_type_its_weights_are_decoded() {
    let gguf = file();
    let model = Setup::default().load_with(&gguf, &without("-q4_1-"));
    let decoded = fate(&model, &gguf, DType::Q4_1);
    assert!(!decoded.is_empty());
    for (residency, reason) in decoded {
        assert_eq!(residency, Residency::DecodeToF32);
        assert!(reason.contains("multiplies q4_0, not q4_1"), "{reason}");
    }
    let kept = fate(&model, &gguf, DType::Q8_0);
    assert!(!kept.is_empty() && kept.iter().all(|(residency, _)| *residency == Residency::Keep), "{kept:?}");
    same_tokens(&model);
}

#[test]
fn without_any_block_matmul_all_matrices_are_decoded() {
    let gguf = file();
    let model = Setup::default().load_with(&gguf, &without(""));
    for used in model.tensors().iter().filter(|used| used.role != Role::Vector) {
        assert_eq!(used.decision.residency, Residency::DecodeToF32, "{}", used.name);
        assert_eq!(used.decision.reason, "cpu has no kernel of matmul_bt_quant");
    }
    same_tokens(&model);
}

#[test]
fn with_all_kernels_nothing_is_decoded() {
    let gguf = file();
    let model = Setup::default().load(&gguf);
    assert!(model.tensors().iter().all(|used| used.decision.residency == Residency::Keep));
}
