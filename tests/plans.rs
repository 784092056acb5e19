//! How models are planned.

mod tiny;

use std::collections::BTreeSet;

use tiny::run::{self, Setup};
use vt::core::plan::StepDescription;
use vt::gguf::{Residency, Role};

/// The most barriers from one layer's attention, or recurrence, to the next one's.
fn barriers_per_layer(steps: &[StepDescription]) -> usize {
    let mixes = |step: &StepDescription| ["attend", "delta_rule"].contains(&step.op);
    let mut layers: Vec<&[StepDescription]> = steps.split_inclusive(mixes).collect();
    // Before the first attention and after the last there is no whole layer.
    layers.pop();
    layers.iter().skip(1).map(|layer| layer.iter().filter(|step| step.barrier).count()).max().unwrap()
}

#[test]
fn a_layer_takes_at_most_eight_barriers() {
    for tiny in tiny::ALL {
        for threads in [2, 4] {
            let model = Setup { threads, ..Setup::default() }.load(&run::open(tiny.file()));
            for schedule in model.plan().describe().schedules {
                let barriers = barriers_per_layer(&schedule.steps);
                let rows = schedule.sizes.t;
                // Of many rows each head of latent attention is multiplied twice, before and after it attends.
                let most = if tiny.arch == "deepseek2" { 9 } else { 8 };
                assert!(barriers <= most, "{}, {threads} threads, {rows} rows: {barriers}", tiny.name);
            }
        }
    }
}

#[test]
fn every_gate_is_fused_with_its_activation() {
    for (name, op) in
        [("llama-f32", "silu_mul"), ("qwen3-f32", "silu_mul"), ("gemma3-f32", "gelu_mul"), ("mixtral-f32", "silu_mul")]
    {
        let tiny = tiny::find(name);
        let plan = Setup::default().load(&run::open(tiny.file())).plan().describe();
        assert_eq!(plan.fusions.fused.get(op), Some(&tiny.layers), "{name}");
        let ops: BTreeSet<&str> = plan.schedules.iter().flat_map(|s| &s.steps).map(|step| step.op).collect();
        assert!(!ops.contains("mul"), "{name}");
    }
}

#[test]
fn rows_of_a_matrix_are_matrices_in_place() {
    let tiny = tiny::find("phi3-q4_0");
    let model = Setup::default().load(&run::open(tiny.file()));
    for name in ["attn_qkv", "ffn_up"] {
        let uses: Vec<_> = model.tensors().iter().filter(|tensor| tensor.name.contains(name)).collect();
        assert_eq!(uses.len(), tiny.layers, "{name}: each is told of once");
        assert!(uses.iter().all(|tensor| tensor.role == Role::MatmulWeight), "{name}");
        assert!(uses.iter().all(|tensor| tensor.decision.residency == Residency::Keep), "{name}");
    }
    let schedules = model.plan().describe().schedules;
    let products = schedules[0].steps.iter().filter(|step| step.op == "matmul_bt_quant").count();
    assert_eq!(products, 7 * tiny.layers + 1, "each part is multiplied for itself");
}

/// Each layer has a norm before its attention and one before its feed-forward part, and a norm is before the head.
#[test]
fn what_is_multiplied_with_blocks_is_quantized_as_it_is_made() {
    let gates = [("llama-q4_1", "silu_mul"), ("qwen3-q6_k", "silu_mul"), ("gemma3-q8_0", "gelu_mul")];
    for (name, gate) in gates {
        let tiny = tiny::find(name);
        let plan = Setup::default().load(&run::open(tiny.file())).plan().describe();
        let fused = |op: &str| plan.fusions.fused.get(format!("{op}_quantize").as_str()).copied();
        assert_eq!((fused(gate), fused("rms_norm")), (Some(tiny.layers), Some(2 * tiny.layers + 1)), "{name}");
        let left = plan.schedules.iter().flat_map(|s| &s.steps).filter(|step| step.op == gate).count();
        assert_eq!(left, 0, "{name}");
    }
}

/// The router reads the norm as it is, the experts its blocks: gate and up layer the same ones.
#[test]
fn experts_share_the_blocks_of_their_activations() {
    let tiny = tiny::find("qwen3moe-mixed");
    let plan = Setup::default().load(&run::open(tiny.file())).plan().describe();
    for schedule in plan.schedules {
        let count = |op: &str| schedule.steps.iter().filter(|step| step.op == op).count();
        assert_eq!([count("route"), count("matmul_experts")], [tiny.layers, 3 * tiny.layers]);
        // Those of attention's outputs and of the experts' inputs; what gates give is quantized as it is made.
        assert_eq!([count("quantize"), count("silu_mul_quantize")], [2 * tiny.layers, tiny.layers]);
    }
}
