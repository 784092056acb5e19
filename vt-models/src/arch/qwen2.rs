//! Qwen2 and Qwen2.5 (Yang et al., 2024): Llama's layers with biases on queries, keys and values, and the rotary pairs
//! in halves.

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
        PreNorm::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}
