//! ERNIE 4.5 (Baidu, 2025), dense: Llama's layers, with biases where a file has them. That of attention's output is
//! added, as the model is defined; llama.cpp reads it and leaves it out. No published model has one.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let spec = AttentionSpec::read(keys, w, &h, RopeStyle::Norm, cache)?;
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        PreNorm::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}
