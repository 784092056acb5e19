//! Seed-OSS (ByteDance Seed, 2025): Llama's layers with biases on queries, keys and values, the rotary pairs in halves,
//! and another name of the second norm.

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
        let mlp = Mlp::load(w, block, h.dim, ff, Activation::Silu);
        PreNorm::load_named(w, block, ["attn_norm", "post_attention_norm"], &h, attention, mlp)
    });
    Ok((h, Box::new(model)))
}
