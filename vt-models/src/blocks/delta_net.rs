//! Gated DeltaNet: attention with a state of fixed size in place of a cache.

use vt_core::op::{DeltaRule, KeyHeads, TakeCols};
use vt_core::{Graph, OpError, StateSpec, Value};
use vt_ops as ops;

use super::{Block, DeltaNetSpec, Linear, Norm, Rows};
use crate::load::Weights;

/// Gated DeltaNet (Yang, Kautz and Hatamizadeh, 2024) as Qwen3-Next has it: with conv the causal convolution and its SiLU,
///
/// ```text
/// q, k  = unit(conv(W_q x)), unit(conv(W_k x))     each head of length 1
/// v     = conv(W_v x)
/// decay = exp(a softplus(W_alpha x + dt))
/// beta  = sigmoid(W_beta x)
/// o     = delta_rule(q, k, v, decay, beta)
/// y     = W_out (norm(o) silu(W_gate x))
/// ```
#[derive(Clone, Debug)]
pub struct DeltaNet {
    /// Of queries, keys and values.
    branches: [Branch; 3],
    gates: Gates,
    dt: Value,
    a: Value,
    rule: DeltaRule,
    state: StateSpec,
    key_dim: usize,
    eps: f32,
    norm: Norm,
    gate: Linear,
    output: Linear,
}

/// A projection and the convolution after it.
#[derive(Clone, Debug)]
struct Branch {
    weight: Value,
    taps: Value,
    state: StateSpec,
}

/// What decay and beta are made of.
#[derive(Clone, Debug)]
enum Gates {
    /// Of a matrix each.
    Apart { alpha: Box<Linear>, beta: Box<Linear> },
    /// Of one matrix: for each key head the betas of its value heads, and then their alphas.
    Together { both: Box<Linear>, share: usize },
}

impl DeltaNet {
    /// The layer of the tensors `{block}.attn_qkv`, `attn_gate`, `ssm_conv1d`, `ssm_alpha` and `ssm_beta`, `ssm_dt.bias`,
    /// `ssm_a`, `ssm_norm` and `ssm_out`. If value heads that share a key head are neighbours, alpha and beta are one
    /// tensor: `ssm_ba`.
    pub fn load(w: &Weights<'_>, block: &str, spec: &DeltaNetSpec) -> Self {
        let DeltaNetSpec { dim, heads, key_heads, key_dim, value_dim, taps, .. } = *spec;
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        let rows = [key_heads * key_dim, key_heads * key_dim, heads * value_dim];
        let weights = w.matmul_parts(&format!("{block}.attn_qkv.weight"), rows, dim);
        let convolutions = w.float_parts(&format!("{block}.ssm_conv1d.weight"), rows, taps);
        let state = |rows| StateSpec::Fixed { rows, cols: taps - 1 };
        let branch =
            |i: usize| Branch { weight: weights[i].clone(), taps: convolutions[i].clone(), state: state(rows[i]) };
        let gates = match spec.pairing {
            KeyHeads::Tiled => {
                let gate = |name| Box::new(linear(name, heads, dim));
                Gates::Apart { alpha: gate("ssm_alpha"), beta: gate("ssm_beta") }
            }
            KeyHeads::Grouped => {
                let both = Box::new(linear("ssm_ba", 2 * heads, dim));
                Gates::Together { both, share: heads / key_heads }
            }
        };
        Self {
            branches: [0, 1, 2].map(branch),
            gates,
            dt: w.vector(&format!("{block}.ssm_dt.bias"), heads),
            a: w.vector(&format!("{block}.ssm_a"), heads),
            rule: spec.rule(),
            state: StateSpec::Fixed { rows: heads * value_dim, cols: key_dim },
            key_dim,
            eps: spec.eps,
            norm: Norm::load(w, &format!("{block}.ssm_norm"), value_dim, spec.eps),
            gate: linear("attn_gate", heads * value_dim, dim),
            output: linear("ssm_out", dim, heads * value_dim),
        }
    }
}

impl Branch {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let projected = ops::matmul_bt(g, x, &self.weight)?;
        ops::causal_conv(g, &projected, &self.taps, &g.state(self.state), &rows.sequences)
    }
}

impl Gates {
    /// Alpha and beta of each value head.
    fn forward(&self, g: &Graph, x: &Value) -> Result<[Value; 2], OpError> {
        match self {
            Gates::Apart { alpha, beta } => Ok([alpha.forward(g, x)?, beta.forward(g, x)?]),
            Gates::Together { both, share } => {
                let both = both.forward(g, x)?;
                let part = |from| ops::take_cols(g, TakeCols { group: 2 * share, from, count: *share }, &both);
                Ok([part(*share)?, part(0)?])
            }
        }
    }
}

impl Block for DeltaNet {
    /// The rows join the sequences' states.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let [q, k, v] = &self.branches;
        let q = ops::l2_norm(g, &q.forward(g, x, rows)?, self.key_dim, self.eps)?;
        let k = ops::l2_norm(g, &k.forward(g, x, rows)?, self.key_dim, self.eps)?;
        let v = v.forward(g, x, rows)?;
        let [alpha, beta] = self.gates.forward(g, x)?;
        let decay = ops::decay(g, &alpha, &self.dt, &self.a)?;
        let beta = ops::sigmoid(g, &beta)?;
        let state = g.state(self.state);
        let o = ops::delta_rule(g, self.rule.clone(), [&q, &k, &v], [&decay, &beta], &state, &rows.sequences)?;
        let gate = ops::silu(g, &self.gate.forward(g, x)?)?;
        let gated = ops::mul(g, &gate, &self.norm.forward(g, &o)?)?;
        self.output.forward(g, &gated)
    }
}
