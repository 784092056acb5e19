//! Self-attention with a cache.

use vt_core::op::{Attend, Rope, RopeStyle};
use vt_core::{DType, Graph, OpError, StateSpec, Value};
use vt_ops as ops;

use super::{Linear, Rows};
use crate::load::{Hparams, Weights};

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

/// Grouped-query attention with rotary positions.
#[derive(Clone, Debug)]
pub struct Attention {
    q: Linear,
    k: Linear,
    v: Linear,
    output: Linear,
    rope: Rope,
    factors: Value,
    attend: Attend,
    cache: StateSpec,
}

impl Attention {
    /// The layer of the tensors `{block}.attn_q`, `attn_k`, `attn_v` and `attn_output`; `factors` divide the rotary
    /// frequencies.
    pub fn load(
        w: &Weights<'_>,
        block: &str,
        h: &Hparams,
        style: RopeStyle,
        factors: Value,
        types: CacheTypes,
    ) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        let (heads, key_dim, value_dim) = (h.kv_heads, h.key_dim, h.value_dim);
        Self {
            q: linear("attn_q", h.heads * key_dim, h.dim),
            k: linear("attn_k", heads * key_dim, h.dim),
            v: linear("attn_v", heads * value_dim, h.dim),
            output: linear("attn_output", h.dim, h.heads * value_dim),
            rope: Rope { head_dim: key_dim, rot: h.rot, style, base: h.rope_base, scale: h.rope_scale },
            factors,
            attend: Attend { heads: h.heads, scale: 1.0 / (key_dim as f32).sqrt(), window: 0 },
            cache: StateSpec::KvRows { heads, key_dim, value_dim, key: types.key, value: types.value },
        }
    }

    /// `x` `[T, D]` to `[T, D]`; the rows' keys and values join the sequences' caches.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let rope = |x: &Value| ops::rope(g, self.rope.clone(), x, &rows.positions, &self.factors);
        let q = rope(&self.q.forward(g, x)?)?;
        let k = rope(&self.k.forward(g, x)?)?;
        let v = self.v.forward(g, x)?;
        let cache = ops::kv_append(g, &g.state(self.cache), &k, &v, &rows.sequences, &rows.positions)?;
        let mixed = ops::attend(g, self.attend.clone(), &q, &cache, &rows.sequences, &rows.positions)?;
        self.output.forward(g, &mixed)
    }
}
