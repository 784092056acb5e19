//! Gemma 3 (Gemma Team, 2025), its text model: norms on both sides of each layer's parts and of each head's queries and
//! keys; five layers of six attend to a window, with a rotary base of their own. The file's norms hold the one that is
//! added to their weights.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, Norm, Sandwich};
use crate::load::{Hparams, Keys, Weights, Windows};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let windows = Windows::read(keys, h.layers, 6)?;
    let global = global(keys, w, &h, cache)?;
    let base = keys.optional_float("rope.freq_base_swa")?.unwrap_or(10_000.0);
    let rotary = global.rotary.with_frequencies(base, 1.0);
    let local = AttentionSpec { rotary, window: windows.size, ..global.clone() };
    keys.expect("final_logit_softcapping", 0.0);
    let model = Decoder::load(w, &h, |layer, block| {
        let spec = if windows.is_local(layer) { &local } else { &global };
        let norm = |name: &str| Norm::load(w, &format!("{block}.{name}"), spec.key_dim, h.eps);
        let attention = Attention::load(w, block, spec).with_norms(norm("attn_q_norm"), norm("attn_k_norm"));
        Sandwich::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Gelu))
    });
    let model = model.with_embedding_scale((h.dim as f32).sqrt());
    Ok((h, Box::new(model)))
}

/// The layers that see all keys.
fn global(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, cache: CacheTypes) -> Result<AttentionSpec, GgufError> {
    let mut spec = AttentionSpec::read(keys, w, h, RopeStyle::Neox, cache)?;
    // No key says so: the 27B, which is known by its layers, divides by the root of a head's share of the row.
    if h.layers == 62 {
        spec.scale = 1.0 / ((h.dim / spec.heads) as f32).sqrt();
    }
    keys.expect("attention.scale", spec.scale);
    keys.expect("rope.scaling.attn_factor", 1.0);
    Ok(spec)
}
