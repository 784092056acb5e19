//! Granite 3 (Granite Team, IBM, 2024), dense: the layers of Llama, with factors in place of what training would have to
//! find (Yang et al., "Tensor Programs V", 2022): of the embedding, of the scores, of what each part adds, and a divisor
//! of the logits.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm, Scaled};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let spec = attention(keys, w, &h, cache)?;
    let residual = keys.optional_float("residual_scale")?.unwrap_or(1.0);
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        let mlp = Mlp::load(w, block, h.dim, ff, Activation::Silu);
        PreNorm::load(w, block, &h, Scaled::new(attention, residual), Scaled::new(mlp, residual))
    });
    let embedding = keys.optional_float("embedding_scale")?.unwrap_or(1.0);
    let model = model.with_embedding_scale(embedding).with_logit_scale(keys.inverse("logit_scale")?);
    Ok((h, Box::new(model)))
}

fn attention(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, cache: CacheTypes) -> Result<AttentionSpec, GgufError> {
    let mut spec = AttentionSpec::read(keys, w, h, RopeStyle::Norm, cache)?;
    spec.rotary = spec.rotary.with_factors(w, "rope_freqs.weight");
    spec.scale = keys.optional_float("attention.scale")?.unwrap_or(spec.scale);
    // Granite's files without positions say so in this way.
    keys.expect_flag("rope.scaling.finetuned", true);
    Ok(spec)
}
