//! GLM-4 of 2025 (Zhipu AI): norms on both sides of each layer's parts, half of each head turned by its position, gate
//! and up in one tensor. Where positions have several axes, the rotary pairs are halves.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, Sandwich, Sections};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let all = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", all.layers)?;
    let mut spec = AttentionSpec::read(keys, w, &all, RopeStyle::Norm, cache)?;
    if let Some(sections) = Sections::read(keys)? {
        sections.expect_text(keys, spec.rotary.rotated() / 2, false);
        spec.rotary = spec.rotary.with_style(RopeStyle::Neox);
    }
    let h = all.without_predictors(keys, w)?;
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        Sandwich::load(w, block, &h, attention, Mlp::load_fused(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}
