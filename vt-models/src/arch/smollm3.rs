//! SmolLM3 (Bakouch et al., Hugging Face, 2025): Llama's layers, of which every fourth does not know positions (Yang et
//! al., "RoPE to NoPE and Back Again", 2025).

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let turned = AttentionSpec::read(keys, w, &h, RopeStyle::Norm, cache)?;
    let unturned = AttentionSpec { rotary: turned.rotary.without_positions(), ..turned.clone() };
    let model = Decoder::load(w, &h, |layer, block| {
        let attention = Attention::load(w, block, if layer % 4 == 3 { &unturned } else { &turned });
        PreNorm::load(w, block, &h, attention, Mlp::load(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}
