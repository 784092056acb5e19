//! Qwen3-Next (Qwen Team, 2025): of four layers three are Gated DeltaNets, and one attends with an output gate and partly
//! turned heads; all have mixtures of experts. The value heads that share a key head are neighbours.

use vt_core::op::KeyHeads;
use vt_gguf::GgufError;

use super::{Loaded, qwen35moe};
use crate::blocks::{CacheTypes, HybridSpec};
use crate::load::{Hparams, Keys, Weights};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let spec = HybridSpec::read(keys, w, &h, KeyHeads::Grouped, cache)?;
    // What `attn_qkv` and `attn_gate` hold, as older converters wrote it.
    (0..h.layers).for_each(|layer| w.skip(format!("blk.{layer}.ssm_in.weight")));
    qwen35moe::load_mixture(keys, w, &spec)
}
