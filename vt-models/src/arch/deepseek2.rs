//! DeepSeek-V2 and V3 (DeepSeek-AI, 2024) and what shares their graph: latent attention, some dense layers, then mixtures
//! of experts of which some are shared.

use vt_core::op::Scoring;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{
    Activation, CacheTypes, Decoder, FeedForward, LatentAttention, LatentSpec, Mlp, Moe, MoeSpec, PreNorm,
};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let all = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", all.layers)?;
    let dense = keys.optional_size("leading_dense_block_count")?.unwrap_or(0);
    let spec = LatentSpec::read(keys, w, &all, cache)?;
    let experts = experts(keys, w, &all, ff, dense)?;
    let h = all.without_predictors(keys, w)?;
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

/// The shared experts are one, as wide as they are together. In files that do not say how experts are scored, those of the
/// first generation are by softmax; the later ones have sigmoids, and biases beside them.
fn experts(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, ff: usize, dense: usize) -> Result<MoeSpec, GgufError> {
    let mut spec = MoeSpec::read(keys, h, ff)?;
    if w.has(&format!("blk.{dense}.exp_probs_b.bias")) {
        spec.route.scoring = Scoring::Sigmoid;
    }
    let spec = spec.with_weights_of(keys)?;
    let shared = spec.ff.saturating_mul(keys.size("expert_shared_count")?);
    Ok(spec.with_shared(shared))
}
