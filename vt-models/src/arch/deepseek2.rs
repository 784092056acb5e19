//! DeepSeek-V2 and V3 (DeepSeek-AI, 2024) and what shares their graph: latent attention, some dense layers, then mixtures
//! of experts of which some are shared.

use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{
    Activation, CacheTypes, Decoder, FeedForward, LatentAttention, LatentSpec, Mlp, Moe, MoeSpec, PreNorm,
};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let dense = keys.optional_size("leading_dense_block_count")?.unwrap_or(0);
    let spec = LatentSpec::read(keys, w, &h, cache)?;
    let experts = experts(keys, &h, ff)?;
    let model = Decoder::load(w, &h, |layer, block| {
        let feed_forward: FeedForward = if layer < dense {
            Mlp::load(w, block, h.dim, ff, Activation::Silu).into()
        } else {
            Moe::load(w, block, &experts).into()
        };
        PreNorm::load(w, block, &h, LatentAttention::load(w, block, &spec), feed_forward)
    });
    Ok((h, Box::new(model)))
}

/// The shared experts are one, as wide as they are together.
fn experts(keys: &Keys<'_>, h: &Hparams, ff: usize) -> Result<MoeSpec, GgufError> {
    let spec = MoeSpec::read(keys, h, ff)?.with_weights_of(keys)?;
    let shared = spec.ff.saturating_mul(keys.size("expert_shared_count")?);
    Ok(spec.with_shared(shared))
}
