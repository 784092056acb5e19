//! The logits have the CPU's bytes, whichever device computes which op.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use vt::check::{Outcome, check_device};
use vt::core::plan::Fallback;
use vt::gguf::Gguf;
use vt::pull::Source;
use vt_private_store::STORE;

use crate::harness::{Run, registry, run};
use crate::tiny::{self, LACKING};

const PROMPT: [u32; 5] = [3, 14, 15, 9, 26];
const STEPS: usize = 3;

/// The device's kernels.
const KERNELS: [&str; 3] = ["store-add", "store-mul", "store-q4_1"];

/// Runs on both devices, and compares.
fn same_bytes(gguf: &Gguf) -> Run {
    let run = |device, fallback| run(gguf, device, fallback, &PROMPT, STEPS).unwrap();
    let (cpu, store) = (run(vt::cpu::CPU, Fallback::Error), run(STORE, Fallback::Reference));
    let vocab = store.model.hparams().vocab;
    assert_eq!(store.logits.len(), (PROMPT.len() + STEPS) * vocab);
    assert!(store.logits.iter().all(|bits| f32::from_bits(*bits).is_finite()));
    assert_ne!(store.logits[..vocab], store.logits[vocab..2 * vocab]);
    assert!(store.logits == cpu.logits, "other bytes than the CPU's");
    assert!(cpu.model.plan().fallbacks().is_empty());
    assert_eq!((cpu.counters.fallbacks, cpu.counters.copies), (0, 0));
    store
}

/// The ops that the plan leaves to the CPU, and the kernels that it takes of the store.
fn division(run: &Run) -> (BTreeSet<&str>, BTreeSet<String>) {
    let plan = run.model.plan();
    let fallen = plan.fallbacks().iter().map(|f| f.missing.op).collect();
    let steps = plan.describe().schedules.into_iter().flat_map(|schedule| schedule.steps);
    (fallen, steps.filter(|step| step.device == STORE).map(|step| step.kernel).collect())
}

/// Fallbacks and copies are counted, pass by pass, as the plan describes them.
fn check_counters(run: &Run) {
    let (plan, counters) = (run.model.plan().describe(), run.counters);
    let class = |rows| plan.schedules.iter().find(|s| s.sizes.t >= rows && s.sizes.r >= rows).unwrap();
    let passes = [vec![class(PROMPT.len())], vec![class(1); STEPS]].concat();
    let fallbacks = passes.iter().flat_map(|s| &s.steps).filter(|step| step.fallback).count() as u64;
    let copies = passes.iter().map(|s| s.copies as u64).sum::<u64>();
    assert_eq!((counters.passes, counters.fallbacks, counters.copies), (passes.len() as u64, fallbacks, copies));
    assert!(0 < fallbacks && fallbacks < counters.steps && copies > 0 && counters.copied_bytes > 0);
}

#[test]
fn a_small_llama_has_the_cpus_bytes() {
    let run = same_bytes(&tiny::llama());
    check_counters(&run);
    let (fallen, kernels) = division(&run);
    assert_eq!(fallen, BTreeSet::from(LACKING));
    assert_eq!(kernels, BTreeSet::from(KERNELS.map(str::to_owned)));
    for fallback in run.model.plan().fallbacks() {
        assert_eq!(fallback.device, vt::cpu::CPU);
        let reasons = fallback.missing.reasons.as_slice();
        match fallback.missing.op {
            "matmul_bt_quant" => {
                assert_eq!(reasons, [("store-q4_1".to_owned(), "multiplies q4_1, not q8_0".to_owned())]);
                assert_eq!(fallback.missing.count, 2);
            }
            _ => assert!(reasons.is_empty(), "{reasons:?}"),
        }
    }
}

#[test]
fn smollm2_has_the_cpus_bytes() {
    let Some(path) = smollm2() else {
        // Not by `eprintln!`, whose text the test harness would keep to itself.
        let _ = writeln!(io::stderr(), "skipped: the model is not there; `vt pull smollm2` fetches it");
        return;
    };
    let run = same_bytes(&Gguf::open(path).unwrap());
    check_counters(&run);
    let (fallen, kernels) = division(&run);
    assert!(fallen.contains("attend") && fallen.contains("silu") && kernels.contains("store-q4_1"));
}

fn smollm2() -> Option<PathBuf> {
    let models = vt::config::Config::from_env().expect("the environment is right").models?;
    Source::find("smollm2")?.installed(&models)
}

#[test]
fn its_kernels_pass_the_goldens() {
    let report = check_device(&registry(), STORE);
    assert!(report.is_ok(), "{report}");
    for kernel in KERNELS {
        let mut checks = report.checks.iter().filter(|check| check.kernel == kernel);
        assert!(checks.any(|check| check.outcome == Outcome::Passed), "{kernel}: {report}");
    }
}
