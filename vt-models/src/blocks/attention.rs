//! Self-attention with a cache.

use vt_core::op::Attend;
use vt_core::{Graph, OpError, StateSpec, Value};
use vt_ops as ops;

use super::{AttentionSpec, Block, Linear, Norm, Rotary, Rows};
use crate::load::Weights;

/// Grouped-query attention with rotary positions, and norms of queries and keys where a model has them.
#[derive(Clone, Debug)]
pub struct Attention {
    q: Linear,
    k: Linear,
    v: Linear,
    output: Linear,
    norms: Option<[Norm; 2]>,
    rotary: Rotary,
    attend: Attend,
    sinks: Option<Value>,
    cache: StateSpec,
}

impl Attention {
    /// The layer of the tensors `{block}.attn_q`, `attn_k`, `attn_v` and `attn_output`. The first three may be rows of
    /// one, `attn_qkv`.
    pub fn load(w: &Weights<'_>, block: &str, spec: &AttentionSpec) -> Self {
        let [q, k, v] = inputs(w, block, spec);
        Self {
            q,
            k,
            v,
            output: Linear::load(w, &format!("{block}.attn_output"), spec.dim, spec.heads * spec.value_dim),
            norms: None,
            rotary: spec.rotary.clone(),
            attend: spec.attend(),
            sinks: None,
            cache: spec.state(),
        }
    }

    /// The layer with a logit for each head that joins the denominator of its softmax ([`Attend`]).
    pub fn with_sinks(self, sinks: Value) -> Self {
        Self { sinks: Some(sinks), ..self }
    }

    /// The layer with norms of queries and keys before they are turned, of each head or of the whole row, as wide as
    /// the norms are.
    pub fn with_norms(self, q: Norm, k: Norm) -> Self {
        Self { norms: Some([q, k]), ..self }
    }

    fn queries_and_keys(&self, g: &Graph, x: &Value) -> Result<[Value; 2], OpError> {
        let (q, k) = (self.q.forward(g, x)?, self.k.forward(g, x)?);
        match &self.norms {
            Some([q_norm, k_norm]) => Ok([q_norm.forward(g, &q)?, k_norm.forward(g, &k)?]),
            None => Ok([q, k]),
        }
    }
}

impl Block for Attention {
    /// The rows' keys and values join the sequences' caches.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let [q, k] = self.queries_and_keys(g, x)?;
        let q = self.rotary.forward(g, &q, rows)?;
        let k = self.rotary.forward(g, &k, rows)?;
        let v = self.v.forward(g, x)?;
        let cache = ops::kv_append(g, &g.state(self.cache), &k, &v, &rows.sequences, &rows.positions)?;
        let places = [&rows.sequences, &rows.positions];
        let mixed = ops::attend(g, self.attend.clone(), &q, &cache, places, self.sinks.as_ref())?;
        self.output.forward(g, &mixed)
    }
}

/// What makes queries, keys and values.
fn inputs(w: &Weights<'_>, block: &str, spec: &AttentionSpec) -> [Linear; 3] {
    let (q, k, v) = (spec.heads * spec.key_dim, spec.kv_heads * spec.key_dim, spec.kv_heads * spec.value_dim);
    let fused = format!("{block}.attn_qkv");
    if w.has(&format!("{fused}.weight")) {
        return Linear::load_parts(w, &fused, [q, k, v], spec.dim);
    }
    [("attn_q", q), ("attn_k", k), ("attn_v", v)]
        .map(|(name, out)| Linear::load(w, &format!("{block}.{name}"), out, spec.dim))
}
