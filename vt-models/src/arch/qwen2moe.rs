//! Qwen1.5-MoE and Qwen2-MoE (Qwen Team, 2024): the layers of Qwen2, with experts whose weights do not add up to one, and
//! a shared expert with a gate.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Attention, AttentionSpec, CacheTypes, Decoder, Moe, MoeSpec, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let shared = keys.optional_size("expert_shared_feed_forward_length")?.unwrap_or(ff);
    let experts = MoeSpec::read(keys, &h, ff)?.with_gated_shared(shared);
    let spec = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    w.demand("output.weight");
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        PreNorm::load(w, block, &h, attention, Moe::load(w, block, &experts))
    });
    Ok((h, Box::new(model)))
}
