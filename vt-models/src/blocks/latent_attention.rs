//! Multi-head latent attention.

use vt_core::op::{Attend, ConcatHeads, TakeCols};
use vt_core::{Graph, OpError, StateSpec, Value};
use vt_ops as ops;

use super::{Block, LatentSpec, Linear, Norm, Rotary, Rows};
use crate::load::Weights;

/// Multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", 2024): of a token only a compressed vector `c` is kept, and
/// the part `r` of its keys that is turned by its position, which all heads share. With the plain part `p` of a head's query
/// and its turned part `s`:
///
/// ```text
/// c = norm(W_kv x)    r = turn(W_r x)    (p, s) = W_q x, s turned; or W_q norm(W_qa x)
/// key = (K c, r)    value = V c
/// ```
///
/// Scores are the same if the query takes in K and the key is left as it is, `p . K c = (K^T p) . c`, and so are outputs
/// if V is multiplied after the sum over values. Files hold `K^T` and `V` of each head for that, or, older ones, both as one
/// matrix for all heads, with which keys and values are made and kept.
#[derive(Clone, Debug)]
pub struct LatentAttention {
    queries: Queries,
    compress: Linear,
    norm: Norm,
    matrices: Matrices,
    output: Linear,
    rotary: Rotary,
    attend: Attend,
    cache: StateSpec,
    spec: LatentSpec,
}

/// What queries are made of.
#[derive(Clone, Debug)]
enum Queries {
    Token(Box<Linear>),
    Compressed { compress: Box<Linear>, norm: Box<Norm>, expand: Box<Linear> },
}

/// What the compressed vector is multiplied with.
#[derive(Clone, Debug)]
enum Matrices {
    /// `K^T` `[H, rank, plain_dim]` and `V` `[H, value_dim, rank]`.
    OfHeads { key: Value, value: Value },
    /// `(K, V)` of one head after the other.
    Both(Linear),
}

impl LatentAttention {
    /// The layer of the tensors `{block}.attn_q`, or `attn_q_a`, `attn_q_a_norm` and `attn_q_b`; `attn_kv_a_mqa` and
    /// `attn_kv_a_norm`; `attn_k_b` and `attn_v_b`, or `attn_kv_b`; and `attn_output`.
    pub fn load(w: &Weights<'_>, block: &str, spec: &LatentSpec) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        Self {
            queries: Queries::load(w, block, spec),
            compress: linear("attn_kv_a_mqa", spec.rank + spec.turned_dim, spec.dim),
            norm: Norm::load(w, &format!("{block}.attn_kv_a_norm"), spec.rank, spec.eps),
            matrices: Matrices::load(w, block, spec),
            output: linear("attn_output", spec.dim, spec.heads * spec.value_dim),
            rotary: spec.rotary.clone(),
            attend: spec.attend(),
            cache: spec.state(),
            spec: spec.clone(),
        }
    }

    /// The compressed vector, and the turned part of the keys.
    fn compressed(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<[Value; 2], OpError> {
        let LatentSpec { rank, turned_dim, .. } = self.spec;
        let both = self.compress.forward(g, x)?;
        let latent = ops::take_cols(g, TakeCols { group: rank + turned_dim, from: 0, count: rank }, &both)?;
        let turned = ops::take_cols(g, TakeCols { group: rank + turned_dim, from: rank, count: turned_dim }, &both)?;
        Ok([self.norm.forward(g, &latent)?, self.rotary.forward(g, &turned, rows)?])
    }

    /// The plain and the turned parts of the queries.
    fn queries(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<[Value; 2], OpError> {
        let LatentSpec { plain_dim, turned_dim, .. } = self.spec;
        let (q, group) = (self.queries.forward(g, x)?, plain_dim + turned_dim);
        let plain = ops::take_cols(g, TakeCols { group, from: 0, count: plain_dim }, &q)?;
        let turned = ops::take_cols(g, TakeCols { group, from: plain_dim, count: turned_dim }, &q)?;
        Ok([plain, self.rotary.forward(g, &turned, rows)?])
    }

    /// Heads of `a_dim` elements with their turned parts, or the one that they share.
    fn join(&self, g: &Graph, a: &Value, a_dim: usize, turned: &Value, shared: bool) -> Result<Value, OpError> {
        ops::concat_heads(g, ConcatHeads { a_dim, b_dim: self.spec.turned_dim, shared }, a, turned)
    }

    fn attend(&self, g: &Graph, q: &Value, cache: &Value, rows: &Rows) -> Result<Value, OpError> {
        ops::attend(g, self.attend.clone(), q, cache, [&rows.sequences, &rows.positions], None)
    }

    /// Attention to keys and values that are made of the compressed vectors.
    fn expanded(
        &self,
        g: &Graph,
        both: &Linear,
        ([latent, key_turned], [plain, turned]): ([Value; 2], [Value; 2]),
        rows: &Rows,
    ) -> Result<Value, OpError> {
        let LatentSpec { plain_dim, value_dim, .. } = self.spec;
        let (made, group) = (both.forward(g, &latent)?, plain_dim + value_dim);
        let k = ops::take_cols(g, TakeCols { group, from: 0, count: plain_dim }, &made)?;
        let v = ops::take_cols(g, TakeCols { group, from: plain_dim, count: value_dim }, &made)?;
        let k = self.join(g, &k, plain_dim, &key_turned, true)?;
        let q = self.join(g, &plain, plain_dim, &turned, false)?;
        let cache = ops::kv_append(g, &g.state(self.cache), &k, &v, &rows.sequences, &rows.positions)?;
        self.attend(g, &q, &cache, rows)
    }

    /// Attention to the compressed vectors themselves.
    fn absorbed(
        &self,
        g: &Graph,
        (key, value): (&Value, &Value),
        ([latent, key_turned], [plain, turned]): ([Value; 2], [Value; 2]),
        rows: &Rows,
    ) -> Result<Value, OpError> {
        let rank = self.spec.rank;
        let row = self.join(g, &latent, rank, &key_turned, false)?;
        let q = self.join(g, &ops::matmul_heads(g, &plain, key)?, rank, &turned, false)?;
        let cache = ops::latent_append(g, &g.state(self.cache), &row, &rows.sequences, &rows.positions)?;
        let mixed = self.attend(g, &q, &cache, rows)?;
        ops::matmul_heads(g, &mixed, value)
    }
}

impl Block for LatentAttention {
    /// The rows' compressed vectors, or keys and values, join the sequences' caches.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let parts = (self.compressed(g, x, rows)?, self.queries(g, x, rows)?);
        let mixed = match &self.matrices {
            Matrices::OfHeads { key, value } => self.absorbed(g, (key, value), parts, rows)?,
            Matrices::Both(both) => self.expanded(g, both, parts, rows)?,
        };
        self.output.forward(g, &mixed)
    }
}

impl Queries {
    fn load(w: &Weights<'_>, block: &str, spec: &LatentSpec) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        let all = spec.heads * spec.key_dim();
        match spec.query_rank {
            None => Queries::Token(Box::new(linear("attn_q", all, spec.dim))),
            Some(rank) => Queries::Compressed {
                compress: Box::new(linear("attn_q_a", rank, spec.dim)),
                norm: Box::new(Norm::load(w, &format!("{block}.attn_q_a_norm"), rank, spec.eps)),
                expand: Box::new(linear("attn_q_b", all, rank)),
            },
        }
    }

    fn forward(&self, g: &Graph, x: &Value) -> Result<Value, OpError> {
        match self {
            Queries::Token(q) => q.forward(g, x),
            Queries::Compressed { compress, norm, expand } => {
                expand.forward(g, &norm.forward(g, &compress.forward(g, x)?)?)
            }
        }
    }
}

impl Matrices {
    fn load(w: &Weights<'_>, block: &str, spec: &LatentSpec) -> Self {
        let LatentSpec { heads, rank, plain_dim, value_dim, .. } = *spec;
        if !spec.absorbed {
            let all = heads * (plain_dim + value_dim);
            return Matrices::Both(Linear::load(w, &format!("{block}.attn_kv_b"), all, rank));
        }
        let of_heads = |name: &str, rows, cols| w.matmul_heads(&format!("{block}.{name}.weight"), heads, rows, cols);
        Matrices::OfHeads { key: of_heads("attn_k_b", rank, plain_dim), value: of_heads("attn_v_b", value_dim, rank) }
    }
}
