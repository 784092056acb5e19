//! What an attention layer is like.

use vt_core::op::{Attend, RopeStyle};
use vt_core::{DType, StateSpec};
use vt_gguf::GgufError;

use super::Rotary;
use crate::load::{Hparams, Keys, Weights};

/// The types that keys and values are kept in: f16 or f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheTypes {
    /// Keys.
    pub key: DType,
    /// Values.
    pub value: DType,
}

impl Default for CacheTypes {
    fn default() -> Self {
        Self { key: DType::F16, value: DType::F16 }
    }
}

/// The sizes and numbers of an attention layer. Layers that differ have specs that differ.
#[derive(Clone, Debug)]
pub struct AttentionSpec {
    /// Elements of a token's vector.
    pub dim: usize,
    /// Query heads.
    pub heads: usize,
    /// Key/value heads; divides `heads`.
    pub kv_heads: usize,
    /// Elements of a query or key.
    pub key_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// The positions of queries and keys.
    pub rotary: Rotary,
    /// The factor of the scores.
    pub scale: f32,
    /// How many keys a query sees, its own included; 0 for all.
    pub window: usize,
    /// What no score exceeds; 0 for no such bound.
    pub cap: f32,
    /// How the scores of later queries grow: by how much, and after how many positions ([`Attend`]); 0 if they do not.
    pub temperature: (f32, usize),
    /// What keys and values are kept in.
    pub cache: CacheTypes,
}

/// Far above any model; tables of rotary factors are made of this size before the tensors are looked at.
const MAX_HEAD_DIM: usize = 1 << 16;

impl AttentionSpec {
    /// Reads `attention.head_count`, `attention.head_count_kv`, `attention.key_length`, `attention.value_length` and the
    /// keys of [`Rotary::read`]: all keys are seen, scores are divided by the root of a key's length.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(
        keys: &Keys<'_>,
        w: &Weights<'_>,
        h: &Hparams,
        style: RopeStyle,
        cache: CacheTypes,
    ) -> Result<Self, GgufError> {
        let heads = keys.uniform("attention.head_count", h.layers)?;
        let kv_heads = keys.optional_uniform("attention.head_count_kv", h.layers)?.unwrap_or(heads);
        if !heads.is_multiple_of(kv_heads) {
            return Err(keys.implausible("attention.head_count_kv", format!("a divisor of {heads} heads")));
        }
        let key_dim = head_dim(keys, "attention.key_length", h.dim / heads)?;
        let value_dim = head_dim(keys, "attention.value_length", h.dim / heads)?;
        let rotary = Rotary::read(keys, w, key_dim, style)?;
        let scale = 1.0 / (key_dim as f32).sqrt();
        let (window, cap, temperature) = (0, 0.0, (0.0, 0));
        Ok(Self { dim: h.dim, heads, kv_heads, key_dim, value_dim, rotary, scale, window, cap, temperature, cache })
    }

    pub(super) fn attend(&self) -> Attend {
        let &Self { heads, scale, window, cap, temperature: (temperature, temperature_length), .. } = self;
        Attend { heads, scale, window, cap, temperature, temperature_length }
    }

    pub(super) fn state(&self) -> StateSpec {
        let Self { kv_heads: heads, key_dim, value_dim, cache, .. } = *self;
        StateSpec::KvRows { heads, key_dim, value_dim, key: cache.key, value: cache.value }
    }
}

/// The elements of a head, which layers with windows share with the others.
fn head_dim(keys: &Keys<'_>, key: &str, default: usize) -> Result<usize, GgufError> {
    let dim = keys.optional_size(key)?.unwrap_or(default);
    if !(1..=MAX_HEAD_DIM).contains(&dim) {
        return Err(keys.implausible(key, format!("heads of 1 to {MAX_HEAD_DIM} elements")));
    }
    keys.expect(&format!("{key}_swa"), dim as f32);
    Ok(dim)
}
