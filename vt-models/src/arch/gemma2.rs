//! Gemma 2 (Gemma Team, 2024): norms on both sides of each layer's parts, caps of scores and logits; every other layer
//! attends to a window. The file's norms hold the one that is added to their weights.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, Sandwich};
use crate::load::{Hparams, Keys, Weights, Windows};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let windows = Windows::read_or(4096, keys, h.layers, 2)?;
    let global = global(keys, w, &h, cache)?;
    let local = AttentionSpec { window: windows.size, ..global.clone() };
    let model = Decoder::load(w, &h, |layer, block| {
        let attention = Attention::load(w, block, if windows.is_local(layer) { &local } else { &global });
        Sandwich::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Gelu))
    });
    let cap = keys.optional_float("final_logit_softcapping")?.unwrap_or(30.0);
    let model = model.with_embedding_scale((h.dim as f32).sqrt()).with_logit_cap(cap);
    Ok((h, Box::new(model)))
}

/// The layers that see all keys.
fn global(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, cache: CacheTypes) -> Result<AttentionSpec, GgufError> {
    let mut spec = AttentionSpec::read(keys, w, h, RopeStyle::Neox, cache)?;
    spec.cap = keys.optional_float("attn_logit_softcapping")?.unwrap_or(50.0);
    // No key says so: the 27B, which is known by its layers, divides by the root of a head's share of the row.
    if h.layers == 46 {
        spec.scale = 1.0 / ((h.dim / spec.heads) as f32).sqrt();
    }
    keys.expect("attention.scale", spec.scale);
    keys.expect("rope.freq_base_swa", spec.rotary.base());
    Ok(spec)
}
