//! What a layer of latent attention is like.

use vt_core::StateSpec;
use vt_core::op::{Attend, RopeStyle};
use vt_gguf::GgufError;

use super::{CacheTypes, Rotary};
use crate::load::{Hparams, Keys, Weights};

/// The sizes and numbers of a layer of multi-head latent attention.
#[derive(Clone, Debug)]
pub struct LatentSpec {
    /// Elements of a token's vector.
    pub dim: usize,
    /// Heads.
    pub heads: usize,
    /// Elements of the compressed vector that queries are made of; `None` if they are made of the token's vector.
    pub query_rank: Option<usize>,
    /// Elements of the compressed vector that keys and values are made of.
    pub rank: usize,
    /// Elements of a query or key that have no position.
    pub plain_dim: usize,
    /// Elements of a query or key that are turned by the position.
    pub turned_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// Whether compressed vectors are attended to as they are, with queries and outputs made for them; else keys and
    /// values are made of them.
    pub absorbed: bool,
    /// The positions of queries and keys.
    pub rotary: Rotary,
    /// The factor of the scores.
    pub scale: f32,
    /// How the scores of later queries grow: by how much, and after how many positions ([`Attend`]); 0 if they do not.
    pub temperature: (f32, usize),
    /// The epsilon of the norms.
    pub eps: f32,
    /// What the cache is kept in.
    pub cache: CacheTypes,
}

impl LatentSpec {
    /// Reads `attention.head_count`, `attention.q_lora_rank`, `attention.kv_lora_rank`, the lengths of keys and values,
    /// `attention.temperature_scale` and `attention.temperature_length`, `rope.scaling.yarn_log_multiplier` and the keys
    /// of [`Rotary::read`]. A file that states `attention.key_length_mla` has the matrices that make queries
    /// and outputs for compressed vectors; its `attention.key_length` is theirs.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(keys: &Keys<'_>, w: &Weights<'_>, h: &Hparams, cache: CacheTypes) -> Result<Self, GgufError> {
        let heads = keys.uniform("attention.head_count", h.layers)?;
        let mla = [keys.optional_size("attention.key_length_mla")?, keys.optional_size("attention.value_length_mla")?];
        let turned_dim = keys.size("rope.dimension_count")?;
        let rank = keys.size("attention.kv_lora_rank")?;
        let (key_dim, value_dim, absorbed) = match mla {
            [Some(key), Some(value)] => (key, value, true),
            _ => (keys.size("attention.key_length")?, keys.size("attention.value_length")?, false),
        };
        let key = if absorbed { "attention.key_length_mla" } else { "attention.key_length" };
        let plain_dim = key_dim.checked_sub(turned_dim).filter(|dim| *dim > 0);
        let plain_dim = plain_dim.ok_or_else(|| keys.implausible(key, format!("more than {turned_dim} elements")))?;
        if [heads, rank, key_dim, value_dim].iter().any(|size| *size > MAX_SIZE) {
            return Err(keys.implausible(key, format!("heads, ranks and keys of at most {MAX_SIZE}")));
        }
        let (rotary, factor) = positions(keys, w, turned_dim)?;
        let temperature = match keys.optional_float("attention.temperature_scale")? {
            Some(growth) => (growth, keys.size("attention.temperature_length")?),
            None => (0.0, 0),
        };
        Ok(Self {
            dim: h.dim,
            heads,
            query_rank: keys.optional_size("attention.q_lora_rank")?,
            rank,
            plain_dim,
            turned_dim,
            value_dim,
            absorbed,
            rotary,
            scale: factor * factor / (key_dim as f32).sqrt(),
            temperature,
            eps: h.eps,
            cache,
        })
    }

    /// Elements of a query or key.
    pub(super) fn key_dim(&self) -> usize {
        self.plain_dim + self.turned_dim
    }

    pub(super) fn attend(&self) -> Attend {
        let (temperature, temperature_length) = self.temperature;
        Attend { heads: self.heads, scale: self.scale, temperature, temperature_length, ..Attend::default() }
    }

    /// Compressed vectors with the turned part of all heads' keys, or keys and values.
    pub(super) fn state(&self) -> StateSpec {
        let (key, value) = (self.cache.key, self.cache.value);
        if self.absorbed {
            StateSpec::LatentRows { key_dim: self.rank + self.turned_dim, value_dim: self.rank, dtype: key }
        } else {
            StateSpec::KvRows { heads: self.heads, key_dim: self.key_dim(), value_dim: self.value_dim, key, value }
        }
    }
}

/// The positions, and what YaRN multiplies queries and keys by (Peng et al., 2023, section 3.4). Where the file states a
/// multiplier, as a tenth of DeepSeek's `mscale_all_dim`, all elements take the factor, and the turned ones no other.
fn positions(keys: &Keys<'_>, w: &Weights<'_>, turned_dim: usize) -> Result<(Rotary, f32), GgufError> {
    let rotary = Rotary::read(keys, w, turned_dim, RopeStyle::Norm)?;
    let Some(multiplier) = keys.optional_float("rope.scaling.yarn_log_multiplier")? else {
        let factor = rotary.magnitude();
        return Ok((rotary, factor));
    };
    let rotary = rotary.with_log_multiplier(1.0);
    let factor = rotary.magnitude() * rotary.yarn_magnitude(10.0 * multiplier);
    Ok((rotary, factor))
}

/// Far above any model.
const MAX_SIZE: usize = 1 << 16;
