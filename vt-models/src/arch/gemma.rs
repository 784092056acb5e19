//! Gemma (Gemma Team, 2024): Llama's layers with GELU, the rotary pairs in halves, and tokens' vectors that are
//! multiplied by the root of their length. The file's norms hold the one that is added to their weights.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let spec = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        PreNorm::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Gelu))
    });
    let model = model.with_embedding_scale((h.dim as f32).sqrt());
    Ok((h, Box::new(model)))
}
