//! Qwen3.5 (Qwen Team, 2026), dense: of four layers three are Gated DeltaNets, and one attends with an output gate and
//! partly turned heads. The file's norms hold the one that is added to their weights, and its value heads are tiled.

use vt_core::op::KeyHeads;
use vt_gguf::GgufError;

use super::Loaded;
use crate::blocks::{Activation, CacheTypes, Decoder, HybridSpec, Mlp, PreNorm};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let all = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", all.layers)?;
    let mut spec = HybridSpec::read(keys, w, &all, KeyHeads::Tiled, cache)?;
    spec.attention.rotary = spec.attention.rotary.with_sections(keys, w)?;
    let h = all.without_predictors(keys, w)?;
    let model = Decoder::load(w, &h, |layer, block| {
        let (mixer, mlp) = (spec.mixer(w, layer, block), Mlp::load(w, block, h.dim, ff, Activation::Silu));
        PreNorm::load_named(w, block, ["attn_norm", "post_attention_norm"], &h, mixer, mlp)
    });
    Ok((h, Box::new(model)))
}
