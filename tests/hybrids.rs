//! Models whose layers are of several kinds: what they read, and what they refuse.

mod tiny;

use std::sync::Arc;

use tiny::Tiny;
use tiny::edit;
use tiny::hybrid::Delta;
use tiny::run::{self, Setup};
use vt::core::DType;
use vt::gguf::Writer;
use vt::models::Model;

/// The f32 model with other recurrent layers.
fn model(change: impl FnOnce(&mut Delta)) -> Tiny {
    let mut tiny = tiny::find("qwen35-f32");
    change(tiny.delta.as_mut().unwrap());
    tiny
}

fn load(tiny: &Tiny, add: impl FnOnce(&mut Writer<'static>)) -> Result<Arc<Model>, String> {
    Setup::default().load_file(tiny.file_with(add))
}

fn logits(tiny: &Tiny, add: impl FnOnce(&mut Writer<'static>)) -> Vec<f32> {
    run::logits(&load(tiny, add).unwrap(), &tiny::tokens(3, 12), 512)
}

/// The file of a model that states another number for a key that it has; what stands in the way.
fn restated(key: &str, value: u32) -> String {
    let mut file = tiny::find("qwen35-f32").file();
    edit::restate(&mut file, &format!("qwen35.{key}"), value.to_le_bytes());
    Setup::default().load_file(file).unwrap_err()
}

#[test]
fn layers_are_of_a_kind_by_an_interval_or_by_flags() {
    let flag = |w: &mut Writer<'static>, flags: &[bool]| {
        w.set("qwen35.attention.recurrent_layers", flags).unwrap();
    };
    let tiny = model(|_| ());
    let expected = logits(&tiny, |_| ());
    assert!(logits(&tiny, |w| flag(w, &[true, true, true, false])) == expected);
    let message = load(&tiny, |w| flag(w, &[true, true, false, false])).unwrap_err();
    assert!(message.contains("blk.2.attn_q.weight") && message.contains("blk.2.ssm_a"), "{message}");
    let message = load(&tiny, |w| flag(w, &[true; 3])).unwrap_err();
    assert!(message.contains("a flag for each of 4 layers"), "{message}");
}

#[test]
fn layers_that_predict_further_tokens_are_left_alone() {
    let tiny = tiny::find("qwen35-mixed");
    let model = load(&tiny, |_| ()).unwrap();
    assert_eq!(model.hparams().layers, tiny.layers);
    let left: Vec<&str> = model.unused().iter().map(String::as_str).collect();
    assert!(left.contains(&"blk.4.nextn.eh_proj.weight") && left.contains(&"blk.4.attn_norm.weight"), "{left:?}");
    assert!(left.iter().all(|name| name.starts_with("blk.4.")), "{left:?}");
    assert!(restated("nextn_predict_layers", 4).contains("nextn_predict_layers"));
}

#[test]
fn other_models_leave_such_layers_alone_too() {
    for name in ["glm4-f32", "deepseek2-f32"] {
        let tiny = tiny::find(name);
        let mut file = tiny.file_with(|w| {
            w.set(&format!("{}.nextn_predict_layers", tiny.arch), 1u32).unwrap();
            for part in ["attn_norm", "ffn_gate", "nextn.eh_proj"] {
                let tensor = format!("blk.{}.{part}.weight", tiny.layers);
                w.tensor(&tensor, DType::F32, &[tiny.dim], vec![0; 4 * tiny.dim]).unwrap();
            }
        });
        let layers = tiny.layers as u32 + 1;
        edit::restate(&mut file, &format!("{}.block_count", tiny.arch), layers.to_le_bytes());
        let model = Setup::default().load_file(file).unwrap();
        let with_one_more = run::logits(&model, &tiny::tokens(3, 12), 512);
        assert!(with_one_more == logits(&tiny, |_| ()), "{name}");
    }
}

/// Files of before the key that tells: who has biases for the choice of experts scores them by sigmoids.
#[test]
fn experts_with_biases_are_scored_by_sigmoids() {
    let tiny = tiny::find("deepseek2-f32");
    let mut file = tiny.file();
    edit::rename(&mut file, "deepseek2.expert_gating_func", "deepseek2.expert_unknown_key");
    let model = Setup::default().load_file(file).unwrap();
    assert!(run::logits(&model, &tiny::tokens(3, 12), 512) == logits(&tiny, |_| ()));
}

/// Of six pairs the fourth belongs to an axis that is 0 in texts.
#[test]
fn pairs_of_the_last_axis_are_not_turned() {
    let with = |sections| logits(&model(|delta| delta.sections = sections), |_| ());
    let expected = with([1, 2, 2, 1]);
    assert!(expected == with([1, 2, 2, 7]) && expected != with([2, 2, 2, 0]));
    assert!(with([2, 2, 2, 0]) == with([0; 4]), "without sections all are turned");
}

/// Axes leave the pairs that they turn to YaRN.
#[test]
fn contexts_are_made_longer_on_all_axes() {
    let with = |sections, context: Option<u32>| {
        logits(&model(|delta| delta.sections = sections), |w| {
            if let Some(context) = context {
                w.set("qwen35.rope.scaling.type", "yarn").unwrap().set("qwen35.rope.scaling.factor", 4f32).unwrap();
                w.set("qwen35.rope.scaling.original_context_length", context).unwrap();
            }
        })
    };
    let longer = with([2, 2, 2, 0], Some(8));
    assert!(longer == with([0; 4], Some(8)) && longer != with([2, 2, 2, 0], None));
    assert!(longer != with([2, 2, 2, 0], Some(64)) && longer != with([1, 2, 2, 1], Some(8)));
}

#[test]
fn sizes_that_do_not_go_together_are_refused() {
    for (key, value, expected) in [
        ("ssm.group_count", 3, "ssm.time_step_rank"),
        ("ssm.inner_size", 66, "ssm.inner_size"),
        ("ssm.conv_kernel", 1, "ssm.conv_kernel"),
        ("ssm.conv_kernel", 1000, "ssm.conv_kernel"),
        ("ssm.conv_kernel", 3, "blk.0.ssm_conv1d.weight"),
        ("ssm.state_size", 32, "blk.0.attn_qkv.weight"),
        ("ssm.state_size", 0, "ssm.state_size"),
    ] {
        let message = restated(key, value);
        assert!(message.contains(expected), "{key} {value}: {message}");
    }
}
