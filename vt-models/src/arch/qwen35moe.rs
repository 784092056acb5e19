//! Qwen3.5 (Qwen Team, 2026), its mixtures of experts: the layers of Qwen3.5, with experts whose weights add up to one and
//! a shared expert with a gate.

use vt_core::op::KeyHeads;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{CacheTypes, Decoder, HybridSpec, Moe, MoeSpec, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let mut spec = HybridSpec::read(keys, w, &Hparams::read(keys)?, KeyHeads::Tiled, cache)?;
    spec.attention.rotary = spec.attention.rotary.with_sections(keys, w)?;
    load_mixture(keys, w, &spec)
}

/// A hybrid model whose feed-forward layers are mixtures of experts.
pub(super) fn load_mixture(keys: &Keys<'_>, w: &Weights<'_>, spec: &HybridSpec) -> Result<Loaded, GgufError> {
    let all = Hparams::read(keys)?;
    let ff = keys.optional_uniform("feed_forward_length", all.layers)?.unwrap_or(0);
    let shared = keys.optional_size("expert_shared_feed_forward_length")?.unwrap_or(ff);
    let experts = MoeSpec::read(keys, &all, ff)?.normalized().with_gated_shared(shared);
    let h = all.without_predictors(keys, w)?;
    let model = Decoder::load(w, &h, |layer, block| {
        let (mixer, moe) = (spec.mixer(w, layer, block), Moe::load(w, block, &experts));
        PreNorm::load_named(w, block, ["attn_norm", "post_attention_norm"], &h, mixer, moe)
    });
    Ok((h, Box::new(model)))
}
