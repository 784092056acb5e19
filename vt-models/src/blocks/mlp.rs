//! Feed-forward layers.

use vt_core::{OpError, Recorder, Value};
use vt_ops as ops;

use super::Linear;
use crate::load::{Hparams, Weights};

/// The gated feed-forward layer of Shazeer's "GLU Variants" with SiLU: `down(silu(gate(x)) * up(x))`.
#[derive(Clone, Debug)]
pub struct Mlp {
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl Mlp {
    /// The layer of the tensors `{block}.ffn_gate`, `ffn_up` and `ffn_down`.
    pub fn load(w: &Weights<'_>, block: &str, h: &Hparams) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        Self {
            gate: linear("ffn_gate", h.ff, h.dim),
            up: linear("ffn_up", h.ff, h.dim),
            down: linear("ffn_down", h.dim, h.ff),
        }
    }

    /// `x` `[T, D]` to `[T, D]`.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
        let gate = ops::silu(g, &self.gate.forward(g, x)?)?;
        let gated = ops::mul(g, &gate, &self.up.forward(g, x)?)?;
        self.down.forward(g, &gated)
    }
}
