//! Llama (Touvron et al., 2023) and what shares its graph: SmolLM2, Mistral, TinyLlama; and Mixtral (Jiang et al., 2024),
//! whose layers have experts, with weights that add up to one.

use vt_core::op::RopeStyle;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{
    Activation, Attention, AttentionSpec, CacheTypes, Decoder, FeedForward, Mlp, Moe, MoeSpec, PreNorm,
};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let mut spec = AttentionSpec::read(keys, w, &h, RopeStyle::Norm, cache)?;
    spec.rotary = spec.rotary.with_factors(w, "rope_freqs.weight");
    let experts = MoeSpec::read_optional(keys, &h, ff)?.map(|experts| MoeSpec { ff, ..experts.normalized() });
    let model = Decoder::load(w, &h, |_, block| {
        let attention = Attention::load(w, block, &spec);
        let feed_forward = match &experts {
            Some(experts) => FeedForward::from(Moe::load(w, block, experts)),
            None => Mlp::load(w, block, h.dim, ff, Activation::Silu).into(),
        };
        PreNorm::load(w, block, &h, attention, feed_forward)
    });
    Ok((h, Box::new(model)))
}
