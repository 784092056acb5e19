//! What the layers of a model are like of which some attend and others have recurrent state.

use vt_core::op::{KeyHeads, RopeStyle};
use vt_gguf::GgufError;

use super::{AttentionSpec, Block, CacheTypes, DeltaNet, DeltaNetSpec, GatedAttention};
use crate::load::{Hparams, Hybrid, Keys, Weights};

/// The layers of a model with Gated DeltaNets and gated attention.
#[derive(Clone, Debug)]
pub struct HybridSpec {
    /// Which layers are of which kind.
    pub layers: Hybrid,
    /// Those that attend.
    pub attention: AttentionSpec,
    /// The others.
    pub delta: DeltaNetSpec,
}

impl HybridSpec {
    /// Reads the keys of [`Hybrid::read`], [`AttentionSpec::read`] and [`DeltaNetSpec::read`].
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(
        keys: &Keys<'_>,
        w: &Weights<'_>,
        h: &Hparams,
        pairing: KeyHeads,
        cache: CacheTypes,
    ) -> Result<Self, GgufError> {
        let attention = AttentionSpec::read(keys, w, h, RopeStyle::Neox, cache)?;
        if attention.value_dim != attention.key_dim {
            let expected = format!("{}, as many as a key's, of which a gate has as many", attention.key_dim);
            return Err(keys.implausible("attention.value_length", expected));
        }
        Ok(Self { layers: Hybrid::read(keys, h)?, attention, delta: DeltaNetSpec::read(keys, h, pairing)? })
    }

    /// What mixes the tokens in layer number `layer`, whose tensors start with `block`.
    pub fn mixer(&self, w: &Weights<'_>, layer: usize, block: &str) -> Box<dyn Block> {
        if self.layers.is_recurrent(layer) {
            Box::new(DeltaNet::load(w, block, &self.delta))
        } else {
            Box::new(GatedAttention::load(w, block, &self.attention, self.delta.eps))
        }
    }
}
