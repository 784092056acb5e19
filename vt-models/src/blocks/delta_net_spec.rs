//! What a Gated DeltaNet layer is like.

use vt_core::op::{DeltaRule, KeyHeads};
use vt_gguf::GgufError;

use crate::load::{Hparams, Keys};

/// The sizes and numbers of a Gated DeltaNet layer.
#[derive(Clone, Debug)]
pub struct DeltaNetSpec {
    /// Elements of a token's vector.
    pub dim: usize,
    /// Value heads; a multiple of `key_heads`.
    pub heads: usize,
    /// Query and key heads.
    pub key_heads: usize,
    /// Which key head goes with a value head.
    pub pairing: KeyHeads,
    /// Elements of a query or key.
    pub key_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// Rows that a convolution sees, a row's own included; above 1.
    pub taps: usize,
    /// The least length of a query or key, and the epsilon of the norm.
    pub eps: f32,
}

/// Far above any model.
const MAX_TAPS: usize = 64;

impl DeltaNetSpec {
    /// Reads `ssm.conv_kernel`, `ssm.state_size`, `ssm.group_count`, `ssm.time_step_rank` and `ssm.inner_size`.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(keys: &Keys<'_>, h: &Hparams, pairing: KeyHeads) -> Result<Self, GgufError> {
        let (key_heads, heads) = (keys.size("ssm.group_count")?, keys.size("ssm.time_step_rank")?);
        if !heads.is_multiple_of(key_heads) {
            return Err(keys.implausible("ssm.time_step_rank", format!("a multiple of {key_heads} key heads")));
        }
        let inner = keys.size("ssm.inner_size")?;
        if !inner.is_multiple_of(heads) {
            return Err(keys.implausible("ssm.inner_size", format!("a multiple of {heads} heads")));
        }
        let taps = keys.size("ssm.conv_kernel")?;
        if !(2..=MAX_TAPS).contains(&taps) {
            return Err(keys.implausible("ssm.conv_kernel", format!("2 to {MAX_TAPS} rows")));
        }
        let (key_dim, value_dim) = (keys.size("ssm.state_size")?, inner / heads);
        Ok(Self { dim: h.dim, heads, key_heads, pairing, key_dim, value_dim, taps, eps: h.eps })
    }

    pub(super) fn rule(&self) -> DeltaRule {
        let Self { heads, key_heads, pairing, key_dim, .. } = *self;
        DeltaRule { heads, key_heads, pairing, scale: 1.0 / (key_dim as f32).sqrt() }
    }
}
