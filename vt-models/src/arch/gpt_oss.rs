//! gpt-oss (OpenAI, 2025): attention with sinks, every other layer of it to a window, and mixtures of experts with biases.

use vt_core::op::{RopeStyle, Scoring};
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Moe, MoeSpec, PreNorm};
use crate::load::{Hparams, Keys, Weights, Windows};

/// The biases of a layer.
const BIASES: [&str; 8] =
    ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate_inp", "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"];

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let windows = Windows::read_or(keys.size("attention.sliding_window")?, keys, h.layers, 2)?;
    let global = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    keys.expect("rope.freq_base_swa", global.rotary.base());
    let local = AttentionSpec { window: windows.size, ..global.clone() };
    let experts = experts(keys, &h)?;
    w.demand("output.weight");
    let model = Decoder::load(w, &h, |layer, block| {
        BIASES.iter().for_each(|name| w.demand(&format!("{block}.{name}.bias")));
        let spec = if windows.is_local(layer) { &local } else { &global };
        let sinks = w.vector(&format!("{block}.attn_sinks.weight"), spec.heads);
        let attention = Attention::load(w, block, spec).with_sinks(sinks);
        PreNorm::load_named(
            w,
            block,
            ["attn_norm", "post_attention_norm"],
            &h,
            attention,
            Moe::load(w, block, &experts),
        )
    });
    Ok((h, Box::new(model)))
}

/// Experts weigh by the softmax over those that are chosen.
fn experts(keys: &Keys<'_>, h: &Hparams) -> Result<MoeSpec, GgufError> {
    let ff = keys.size("expert_feed_forward_length")?;
    let mut spec = MoeSpec::read(keys, h, ff)?;
    spec.route.scoring = Scoring::SoftmaxOfChosen;
    spec.activation = Activation::ClampedSwiglu;
    Ok(spec)
}
