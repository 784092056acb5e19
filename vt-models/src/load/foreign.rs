//! What files tell of models that vt would compute wrongly, unless an architecture asks for it.

use std::collections::HashSet;

use super::{Keys, Problem};

/// Numbers that change what a model computes, and the value that does not; 0 is as good as absent.
const NUMBERS: [(&str, f32); 12] = [
    ("attention.clamp_kqv", 0.0),
    ("attention.max_alibi_bias", 0.0),
    ("attention.scale", 0.0),
    ("attention.sliding_window", 0.0),
    ("attention.temperature_scale", 0.0),
    ("embedding_scale", 1.0),
    ("expert_count", 0.0),
    ("logit_scale", 1.0),
    ("nextn_predict_layers", 0.0),
    ("residual_scale", 1.0),
    ("rope.scaling.attn_factor", 1.0),
    ("rope.scaling.yarn_attn_factor", 1.0),
];

/// Switches that change what a model computes, and the position that does not.
const SWITCHES: [(&str, bool); 2] = [("use_parallel_residual", false), ("attention.causal", true)];

/// Notes the keys that tell of something the architecture does not compute.
pub(super) fn refuse(keys: &Keys<'_>) {
    NUMBERS.iter().filter(|(key, _)| !keys.was_read(key)).for_each(|(key, value)| keys.expect(key, *value));
    SWITCHES.iter().filter(|(key, _)| !keys.was_read(key)).for_each(|(key, value)| keys.expect_flag(key, *value));
}

/// Tensors outside the layers that change what a model computes.
const TENSORS: [&str; 6] = [
    "output_norm.bias",
    "token_embd_norm.weight",
    "position_embd.weight",
    "rope_freqs.weight",
    "rope_factors_long.weight",
    "rope_factors_short.weight",
];

/// Norms that every layer has that has one of them.
const LAYER_NORMS: [&str; 2] = ["attn_norm.weight", "post_attention_norm.weight"];

/// The tensors that were not asked for and stand in the way, because they are parts of what the file's model computes:
/// of a layer of which anything was asked for, of a layer more, or of something that vt does not have. The rotary
/// frequencies that old converters wrote to each layer are what everyone computes.
pub(super) fn tensors<'a>(
    unused: impl Iterator<Item = &'a String>,
    asked: &HashSet<String>,
) -> impl Iterator<Item = Problem> {
    let layers: HashSet<&str> = asked.iter().filter_map(|name| Some(layer_of(name)?.0)).collect();
    unused.filter_map(move |name| {
        let unsupported = || Some(Problem::Unsupported(format!("tensor `{name}`: vt does not have what it is for")));
        match layer_of(name) {
            Some((layer, part)) if layers.contains(layer) => unsupported().filter(|_| !frequencies(part)),
            Some((_, part)) if LAYER_NORMS.contains(&part) && asked.contains(&format!("blk.0.{part}")) => {
                Some(Problem::Fault(format!("tensor `{name}`: the file has more layers than `block_count` says")))
            }
            Some(_) => None,
            None => unsupported().filter(|_| TENSORS.contains(&name.as_str())),
        }
    })
}

fn frequencies(part: &str) -> bool {
    part == "attn_rot_embd" || part.ends_with("inv_freq")
}

/// The layer's number and the part of a name `blk.{layer}.{part}`.
fn layer_of(tensor: &str) -> Option<(&str, &str)> {
    tensor.strip_prefix("blk.")?.split_once('.')
}
