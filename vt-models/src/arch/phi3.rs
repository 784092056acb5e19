//! Phi-3 (Abdin et al., 2024), and Phi-3.5 and 4 with the same graph: Llama's layers with the rotary pairs in halves,
//! matrices of one input in one tensor, and other rotary factors for long contexts. The window that files state is not
//! applied: as in llama.cpp, all layers see all keys.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, CacheTypes, Decoder, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    keys.optional_size("attention.sliding_window")?;
    let mut spec = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    spec.rotary = spec.rotary.with_context_factors(keys, w)?;
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        PreNorm::load(w, block, &h, attention, Mlp::load_fused(w, block, h.dim, ff, Activation::Silu))
    });
    Ok((h, Box::new(model)))
}
