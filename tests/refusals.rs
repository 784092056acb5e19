//! What vt would compute wrongly is refused, what an architecture reads is not.

mod tiny;

use std::sync::Arc;

use tiny::edit;
use tiny::run::{self, Setup};
use vt::core::DType;
use vt::cpu::CPU;
use vt::gguf::{Encode, Writer};
use vt::models::load::Target;
use vt::models::{LoadOptions, Model};

fn set(w: &mut Writer<'_>, key: &str, value: impl Encode) {
    w.set(key, value).unwrap();
}

/// A vector of ones.
fn put(w: &mut Writer<'_>, name: &str, len: usize) {
    let ones: Vec<u8> = (0..len).flat_map(|_| 1f32.to_le_bytes()).collect();
    w.tensor(name, DType::F32, &[len], ones).unwrap();
}

/// Loads a model with something added to its file: everything that stands in the way.
fn problem(name: &str, add: impl FnOnce(&mut Writer<'static>)) -> Option<String> {
    Setup::default().load_file(tiny::find(name).file_with(add)).err()
}

fn with_float(name: &str, key: &str, value: f32) -> Option<String> {
    let arch = tiny::find(name).arch;
    problem(name, |w| set(w, &format!("{arch}.{key}"), value))
}

const MODELS: [&str; 4] = ["llama-f32", "qwen2-f32", "qwen3-f32", "gemma3-f32"];

#[test]
fn numbers_that_change_the_model_are_refused() {
    for name in MODELS {
        for key in ["attention.clamp_kqv", "attention.scale", "logit_scale", "residual_scale", "embedding_scale"] {
            assert_eq!(with_float(name, key, 0.0), None, "{name}: 0 is as good as absent");
            let message = with_float(name, key, 0.75).unwrap();
            assert!(
                message.contains(&format!("key `{key}`: expected")) && message.contains("0.75"),
                "{name}: {message}"
            );
        }
        let key = "attention.temperature_scale";
        assert!(with_float(name, key, 0.1).unwrap().contains(key), "{name}");
        let key = "rope.scaling.yarn_attn_factor";
        assert_eq!(with_float(name, key, 1.0), None, "{name}");
        assert!(with_float(name, key, 1.5).unwrap().contains(key), "{name}");
    }
}

/// The logits of a model, with something added to its file.
fn changed(name: &str, add: impl FnOnce(&mut Writer<'static>)) -> Vec<f32> {
    let model = Setup::default().load(&run::open(tiny::find(name).file_with(add)));
    run::logits(&model, &tiny::tokens(3, 12), 512)
}

#[test]
fn the_factor_of_what_is_turned_is_computed_or_refused() {
    const KEY: &str = "rope.scaling.attn_factor";
    for name in ["llama-f32", "qwen2-f32", "qwen3-f32"] {
        let with = |factor: f32| changed(name, |w| set(w, &format!("{}.{KEY}", tiny::find(name).arch), factor));
        assert!(with(1.0) == changed(name, |_| ()) && with(0.0) == with(1.0), "{name}");
        assert!(with(1.5) != with(1.0), "{name}");
    }
    assert_eq!(with_float("gemma3-f32", KEY, 1.0), None);
    assert!(with_float("gemma3-f32", KEY, 1.5).unwrap().contains(KEY), "local layers would not have it");
}

#[test]
fn positions_are_scaled_in_the_known_ways_only() {
    let scaled = |kind: &'static str, factor: f32| {
        move |w: &mut Writer<'static>| {
            set(w, "llama.rope.scaling.type", kind);
            set(w, "llama.rope.scaling.factor", factor);
        }
    };
    let plain = changed("llama-f32", |_| ());
    assert!(plain == changed("llama-f32", scaled("none", 4.0)) && plain == changed("llama-f32", scaled("yarn", 0.0)));
    let answers = ["linear", "yarn"].map(|kind| changed("llama-f32", scaled(kind, 4.0)));
    assert!(answers[0] != plain && answers[1] != plain && answers[0] != answers[1]);
    for kind in ["longrope", "dynamic"] {
        let message = problem("llama-f32", scaled(kind, 4.0)).unwrap();
        assert!(message.contains(&format!("no rotary scaling of the kind `{kind}`")), "{message}");
    }
    let message = problem("llama-f32", |w| {
        put(w, "rope_freqs.weight", 9);
        scaled("yarn", 4.0)(w);
    });
    assert!(message.unwrap().contains("YaRN together with a tensor"));
}

#[test]
fn sizes_and_switches_that_change_the_model_are_refused() {
    for name in MODELS.into_iter().chain(["granite-f32"]) {
        let arch = tiny::find(name).arch;
        for key in ["expert_count", "nextn_predict_layers", "attention.key_length_swa"] {
            let message = problem(name, |w| set(w, &format!("{arch}.{key}"), 3u32)).unwrap();
            assert!(message.contains(&format!("key `{key}`: expected")), "{name}: {message}");
        }
        for (key, value) in [("attention.causal", false), ("use_parallel_residual", true)] {
            let message = problem(name, |w| set(w, &format!("{arch}.{key}"), value)).unwrap();
            assert!(message.contains(&format!("key `{key}`: expected")), "{name}: {message}");
            assert_eq!(problem(name, |w| set(w, &format!("{arch}.{key}"), !value)), None);
        }
    }
}

/// Loads a model in whose file a name, of a key or a tensor, stands for another: everything that stands in the way.
fn renamed(name: &str, from: &str, to: &str) -> String {
    let mut file = tiny::find(name).file();
    edit::rename(&mut file, from, to);
    Setup::default().load_file(file).err().unwrap_or_default()
}

#[test]
fn what_a_model_always_has_is_missed() {
    for (name, tensor) in [
        ("gpt-oss-f32", "output.weight"),
        ("gpt-oss-f32", "blk.1.attn_output.bias"),
        ("gpt-oss-f32", "blk.0.ffn_gate_inp.bias"),
        ("gpt-oss-f32", "blk.2.ffn_up_exps.bias"),
        ("olmo2-f32", "output.weight"),
        ("qwen2moe-f32", "output.weight"),
        ("qwen2moe-f32", "blk.0.ffn_gate_inp_shexp.weight"),
        ("qwen35moe-f32", "blk.1.ffn_gate_inp_shexp.weight"),
        ("qwen3next-f32", "blk.0.ffn_gate_inp_shexp.weight"),
    ] {
        let other = format!("{}_", &tensor[..tensor.len() - 1]);
        let message = renamed(name, tensor, &other);
        assert!(message.contains(&format!("`{tensor}`: missing")), "{name} {tensor}: {message}");
    }
    let message = renamed("gpt-oss-f32", "gpt-oss.attention.sliding_window", "gpt-oss.attention.sliding_xxxxxx");
    assert!(message.contains("`gpt-oss.attention.sliding_window`"), "{message}");
}

#[test]
fn layers_with_windows_turn_as_much_as_the_others() {
    for name in ["gemma2-f32", "gemma3-f32", "gpt-oss-f32"] {
        let tiny = tiny::find(name);
        let turned = |elements: usize| {
            problem(name, |w| set(w, &format!("{}.rope.dimension_count_swa", tiny.arch), elements as u32))
        };
        assert_eq!(turned(tiny.head_dim), None, "{name}");
        assert!(turned(tiny.head_dim - 2).unwrap().contains("`rope.dimension_count_swa`: expected"), "{name}");
    }
}

#[test]
fn a_window_is_refused_where_it_is_not_read() {
    for name in ["llama-f32", "qwen2-f32", "qwen3-f32"] {
        let arch = tiny::find(name).arch;
        let message = problem(name, |w| set(w, &format!("{arch}.attention.sliding_window"), 4u32));
        assert!(message.unwrap().contains("`attention.sliding_window`"), "{name}");
    }
    assert_eq!(problem("gemma3-q5_0", |w| set(w, "gemma3.attention.sliding_window", 4u32)), None);
}

#[test]
fn gemma_states_its_own_scale_or_none_and_no_cap() {
    let own = 1.0 / (tiny::find("gemma3-f32").head_dim as f32).sqrt();
    assert_eq!(with_float("gemma3-f32", "attention.scale", own), None);
    assert!(with_float("gemma3-27b", "attention.scale", 1.0 / 20f32.sqrt()).is_some());
    assert_eq!(with_float("gemma3-27b", "attention.scale", 1.0 / 14f32.sqrt()), None);
    assert!(with_float("gemma3-f32", "final_logit_softcapping", 30.0).unwrap().contains("final_logit_softcapping"));
    assert_eq!(with_float("qwen3-f32", "final_logit_softcapping", 30.0), None, "Qwen3 has no caps at all");
}

/// The file of a model that states another number for a key that it has.
fn restated(name: &str, key: &str, value: f32) -> Vec<u8> {
    let tiny = tiny::find(name);
    let mut file = tiny.file();
    edit::restate(&mut file, &format!("{}.{key}", tiny.arch), value.to_le_bytes());
    file
}

#[test]
fn gemma2_has_caps_also_where_its_file_states_none() {
    let answer = |key: &str, value: f32| {
        let model = Setup::default().load(&run::open(restated("gemma2-f32", key, value)));
        run::logits(&model, &tiny::tokens(3, 12), 512)
    };
    for (key, published) in [("attn_logit_softcapping", 50.0), ("final_logit_softcapping", 30.0)] {
        assert!(answer(key, 0.0) == answer(key, published), "{key}");
        assert!(answer(key, 0.0) != answer(key, 1.5), "{key}");
    }
    let own = 1.0 / (tiny::find("gemma2-f32").head_dim as f32).sqrt();
    assert_eq!(with_float("gemma2-f32", "attention.scale", own), None);
    assert!(with_float("gemma2-27b", "attention.scale", 1.0 / 20f32.sqrt()).is_some());
    assert_eq!(with_float("gemma2-27b", "attention.scale", 1.0 / 14f32.sqrt()), None);
    assert!(with_float("gemma2-f32", "rope.freq_base_swa", 5e4).unwrap().contains("`rope.freq_base_swa`"));
}

/// As many positions as a model was first trained with take other factors than more of them.
#[test]
fn phi3_turns_by_other_factors_where_sequences_are_long() {
    let file = run::open(tiny::find("phi3-f32").file());
    let answer = |context| {
        let registry = Arc::new(Setup::default().builder().build().unwrap());
        let target = Target { registry, device: CPU.to_owned() };
        let options = LoadOptions { context, ..LoadOptions::default() };
        let model = Model::load(&file, &target, &options).unwrap();
        run::logits(&Arc::new(model), &tiny::tokens(3, 12), 512)
    };
    assert!(answer(None) == answer(Some(512)), "the model was made for 512");
    assert!(answer(Some(257)) == answer(Some(512)) && answer(Some(256)) == answer(Some(12)));
    assert!(answer(Some(256)) != answer(Some(257)));
}

#[test]
fn glm4_has_no_axis_that_a_text_lacks() {
    const KEY: &str = "glm4.rope.dimension_sections";
    let sections = |sections: &'static [i32]| problem("glm4-f32", move |w| set(w, KEY, sections));
    for text in [&[2, 2, 0, 0][..], &[1, 1, 1, 0], &[2, 2], &[0, 0, 0, 4], &[1, 1, 2, 4]] {
        assert_eq!(sections(text), None, "{text:?}");
    }
    assert!(sections(&[1, 1, 1, 1]).unwrap().contains("`rope.dimension_sections`: vt has no pairs that turn by"));
    for impossible in [&[1, 1, 1, 1, 1][..], &[1, -1], &[1, 1 << 20]] {
        assert!(sections(impossible).unwrap().contains(KEY), "{impossible:?}");
    }
}

#[test]
fn parts_of_a_matrix_add_up() {
    let tiny = tiny::Tiny { kv_heads: 3, ..tiny::find("phi3-f32") };
    let wrong = tiny::Tiny { kv_heads: 2, ..tiny };
    assert!(Setup::default().load_file(tiny.file()).is_ok());
    let mut file = wrong.file();
    edit::restate(&mut file, "phi3.attention.head_count_kv", 3u32.to_le_bytes());
    let message = Setup::default().load_file(file).unwrap_err();
    assert!(
        message.contains("tensor `blk.0.attn_qkv.weight`: expected shape [216, 108], found [180, 108]"),
        "{message}"
    );
    assert_eq!(message.matches("attn_qkv").count(), 2, "one problem for each of two layers: {message}");
}

/// The logits of a Granite whose file states another number, or what stands in the way.
fn granite(key: &str, value: f32) -> Result<Vec<f32>, String> {
    let model = Setup::default().load_file(restated("granite-f32", key, value))?;
    Ok(run::logits(&model, &tiny::tokens(3, 12), 512))
}

#[test]
fn a_factor_of_granite_that_is_0_is_none() {
    let head_dim = tiny::find("granite-f32").head_dim as f32;
    for (key, none) in [("embedding_scale", 1.0), ("residual_scale", 1.0), ("attention.scale", 1.0 / head_dim.sqrt())] {
        let absent = granite(key, 0.0).unwrap();
        assert!(absent == granite(key, none).unwrap(), "{key}");
        assert!(absent != granite(key, 0.75).unwrap(), "{key}");
        assert!(granite(key, -1.0).unwrap_err().contains(key));
    }
}

#[test]
fn granite_divides_its_logits_and_has_positions() {
    for impossible in [0.0, -1.0, f32::NAN, f32::from_bits(1)] {
        let message = granite("logit_scale", impossible).unwrap_err();
        assert!(message.contains("granite.logit_scale"), "{impossible}: {message}");
    }
    let positions = |has: bool| problem("granite-f32", |w| set(w, "granite.rope.scaling.finetuned", has));
    assert_eq!(positions(true), None);
    assert!(positions(false).unwrap().contains("key `rope.scaling.finetuned`: expected true"));
}

#[test]
fn tensors_of_something_else_are_refused() {
    for name in MODELS {
        for tensor in ["blk.1.attn_sinks.weight", "blk.0.layer_out_norm.weight", "position_embd.weight"] {
            let message = problem(name, |w| put(w, tensor, 1)).unwrap();
            assert!(message.contains(&format!("`{tensor}`")), "{name}: {message}");
        }
    }
    for (name, refused) in [("llama-f32", false), ("qwen3-f32", true), ("gemma3-f32", true)] {
        let factors = |w: &mut Writer<'static>| put(w, "rope_freqs.weight", 9);
        assert_eq!(problem(name, factors).is_some(), refused, "{name}");
    }
}

/// A model's logits, with a pattern of local layers added to its file.
fn logits(pattern: impl FnOnce(&mut Writer<'static>)) -> Vec<f32> {
    let tiny = tiny::Tiny { layers: 3, window: Some((5, None)), ..tiny::find("gemma3-f32") };
    let model = Setup::default().load(&run::open(tiny.file_with(pattern)));
    run::logits(&model, &tiny::tokens(3, 12), 512)
}

#[test]
fn a_pattern_of_windows_is_a_period_or_a_list() {
    const KEY: &str = "gemma3.attention.sliding_window_pattern";
    let period = logits(|w| set(w, KEY, 2u32));
    assert!(period == logits(|w| set(w, KEY, &[true, false, true][..])));
    assert!(period == logits(|w| set(w, KEY, &[1i32, 0, 1][..])));
    assert!(logits(|_| ()) == logits(|w| set(w, KEY, &[true; 3][..])), "of three layers none is the sixth");
    assert!(period != logits(|w| set(w, KEY, 3u32)));
    let message = problem("gemma3-f32", |w| set(w, KEY, &[true; 3][..])).unwrap();
    assert!(message.contains("a flag for each of 7 layers"), "{message}");
}

/// A dense file that uses experts, and numbers of experts, groups and scorings that cannot be.
#[test]
fn numbers_of_experts_that_make_no_sense_are_refused() {
    let message = problem("llama-f32", |w| set(w, "llama.expert_used_count", 2u32)).unwrap();
    assert!(message.contains("llama.expert_count"), "{message}");
    let message = problem("llama-f32", |w| {
        set(w, "llama.expert_used_count", 2u32);
        set(w, "llama.expert_count", 8u32);
    });
    assert!(message.unwrap().contains("blk.0.ffn_gate_inp.weight"));
    let grouped = |groups: u32, used: u32| {
        problem("qwen3moe-f32", |w| {
            set(w, "qwen3moe.expert_group_count", groups);
            set(w, "qwen3moe.expert_group_used_count", used);
        })
    };
    assert_eq!((grouped(0, 0), grouped(1, 1), grouped(4, 2)), (None, None, None));
    assert!(grouped(3, 2).unwrap().contains("expert_group_count"), "8 experts");
    assert!(grouped(4, 5).unwrap().contains("expert_group_used_count"));
    assert!(grouped(4, 1).unwrap().contains("expert_used_count"), "3 of a group of 2");
}
