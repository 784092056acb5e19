//! Ministral 3 (Mistral AI, 2025), dense: Llama's layers, positions scaled by YaRN, and scores that grow with the query's
//! position.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let spec = attention(keys, w, &h, cache)?;
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        PreNorm::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}

fn attention(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, cache: CacheTypes) -> Result<AttentionSpec, GgufError> {
    let mut spec = AttentionSpec::read(keys, w, h, RopeStyle::Norm, cache)?;
    spec.rotary = spec.rotary.with_factors(w, "rope_freqs.weight");
    if let Some(multiplier) = keys.optional_float("rope.scaling.yarn_log_multiplier")? {
        spec.rotary = spec.rotary.with_log_multiplier(multiplier);
    }
    if let Some(growth) = keys.optional_float("attention.temperature_scale")? {
        let (_, original) = keys.context()?;
        spec.temperature = (growth, original);
    }
    Ok(spec)
}
