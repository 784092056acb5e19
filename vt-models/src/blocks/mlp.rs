//! Feed-forward layers.

use vt_core::{Graph, OpError, Recorder, Value};
use vt_ops as ops;

use super::{Block, Linear, Rows};
use crate::load::Weights;

/// What a feed-forward layer bends its values with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// [`ops::silu`].
    Silu,
    /// [`ops::gelu`].
    Gelu,
}

impl Activation {
    /// `x` to the same shape.
    ///
    /// # Errors
    /// If `x` is not f32.
    pub fn forward(self, g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
        match self {
            Activation::Silu => ops::silu(g, x),
            Activation::Gelu => ops::gelu(g, x),
        }
    }
}

/// The gated feed-forward layer of Shazeer's "GLU Variants" (2020): `down(activation(gate(x)) * up(x))`.
#[derive(Clone, Debug)]
pub struct Mlp {
    gate: Linear,
    up: Linear,
    down: Linear,
    activation: Activation,
}

impl Mlp {
    /// The layer of the tensors `{block}.ffn_gate`, `ffn_up` and `ffn_down`: from `dim` elements to `ff` and back.
    pub fn load(w: &Weights<'_>, block: &str, dim: usize, ff: usize, activation: Activation) -> Self {
        let linear = |name: &str, out, input| Linear::load(w, &format!("{block}.{name}"), out, input);
        Self {
            gate: linear("ffn_gate", ff, dim),
            up: linear("ffn_up", ff, dim),
            down: linear("ffn_down", dim, ff),
            activation,
        }
    }

    /// The layer of the tensors `{block}.ffn_up`, whose first `ff` rows are the gate's, and `ffn_down`.
    pub fn load_fused(w: &Weights<'_>, block: &str, dim: usize, ff: usize, activation: Activation) -> Self {
        let [gate, up] = Linear::load_parts(w, &format!("{block}.ffn_up"), [ff, ff], dim);
        Self { gate, up, down: Linear::load(w, &format!("{block}.ffn_down"), dim, ff), activation }
    }
}

impl Block for Mlp {
    fn forward(&self, g: &Graph, x: &Value, _rows: &Rows) -> Result<Value, OpError> {
        let gate = self.activation.forward(g, &self.gate.forward(g, x)?)?;
        let gated = ops::mul(g, &gate, &self.up.forward(g, x)?)?;
        self.down.forward(g, &gated)
    }
}
