//! Qwen3 (Yang et al., 2025), its mixtures of experts: the layers of Qwen3, with experts whose weights add up to one.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Attention, AttentionSpec, CacheTypes, Decoder, Moe, MoeSpec, Norm, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let experts = MoeSpec::read(keys, &h, ff)?.normalized();
    let spec = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    let model = Decoder::load(w, &h, |_, block| {
        let norm = |name: &str| Norm::load(w, &format!("{block}.{name}"), spec.key_dim, h.eps);
        let attention = Attention::load(w, block, &spec).with_norms(norm("attn_q_norm"), norm("attn_k_norm"));
        PreNorm::load(w, block, &h, attention, Moe::load(w, block, &experts))
    });
    Ok((h, Box::new(model)))
}
