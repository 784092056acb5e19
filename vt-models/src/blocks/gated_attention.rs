//! Self-attention with an output gate.

use vt_core::op::{Attend, TakeCols};
use vt_core::{Graph, OpError, StateSpec, Value};
use vt_ops as ops;

use super::{AttentionSpec, Block, Linear, Norm, Rotary, Rows};
use crate::load::Weights;

/// Grouped-query attention whose heads are gated (Qiu et al., "Gated Attention for Large Language Models", 2025), with
/// norms of each head's queries and keys: `y = W_o (attention(x) sigmoid(W_g x))`. The rows of `W_q` hold for each head its
/// query's and then its gate's.
#[derive(Clone, Debug)]
pub struct GatedAttention {
    q_and_gate: Linear,
    k: Linear,
    v: Linear,
    output: Linear,
    q_norm: Norm,
    k_norm: Norm,
    rotary: Rotary,
    key_dim: usize,
    attend: Attend,
    cache: StateSpec,
}

impl GatedAttention {
    /// The layer of the tensors `{block}.attn_q`, `attn_k`, `attn_v`, `attn_q_norm`, `attn_k_norm` and `attn_output`.
    /// Queries, keys and values are of one length.
    pub fn load(w: &Weights<'_>, block: &str, spec: &AttentionSpec, eps: f32) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        let norm = |name: &str| Norm::load(w, &format!("{block}.{name}"), spec.key_dim, eps);
        Self {
            q_and_gate: linear("attn_q", spec.heads * 2 * spec.key_dim, spec.dim),
            k: linear("attn_k", spec.kv_heads * spec.key_dim, spec.dim),
            v: linear("attn_v", spec.kv_heads * spec.value_dim, spec.dim),
            output: linear("attn_output", spec.dim, spec.heads * spec.value_dim),
            q_norm: norm("attn_q_norm"),
            k_norm: norm("attn_k_norm"),
            rotary: spec.rotary.clone(),
            key_dim: spec.key_dim,
            attend: spec.attend(),
            cache: spec.state(),
        }
    }

    /// Queries, and what the heads' results are multiplied with.
    fn queries_and_gates(&self, g: &Graph, x: &Value) -> Result<[Value; 2], OpError> {
        let both = self.q_and_gate.forward(g, x)?;
        let count = self.key_dim;
        let part = |from| ops::take_cols(g, TakeCols { group: 2 * count, from, count }, &both);
        Ok([self.q_norm.forward(g, &part(0)?)?, ops::sigmoid(g, &part(count)?)?])
    }
}

impl Block for GatedAttention {
    /// The rows' keys and values join the sequences' caches.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let [q, gate] = self.queries_and_gates(g, x)?;
        let k = self.k_norm.forward(g, &self.k.forward(g, x)?)?;
        let q = self.rotary.forward(g, &q, rows)?;
        let k = self.rotary.forward(g, &k, rows)?;
        let v = self.v.forward(g, x)?;
        let cache = ops::kv_append(g, &g.state(self.cache), &k, &v, &rows.sequences, &rows.positions)?;
        let places = [&rows.sequences, &rows.positions];
        let mixed = ops::attend(g, self.attend.clone(), &q, &cache, places, None)?;
        self.output.forward(g, &ops::mul(g, &mixed, &gate)?)
    }
}
