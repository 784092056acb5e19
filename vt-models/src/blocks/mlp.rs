//! Feed-forward layers.

use vt_core::op::ClampedSwiglu;
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
    /// [`ops::clamped_swiglu`], with the numbers of gpt-oss.
    ClampedSwiglu,
}

impl Activation {
    /// What a gate lets through: `activation(gate) * up`, where the activation does not say otherwise.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn gated(self, g: &dyn Recorder, gate: &Value, up: &Value) -> Result<Value, OpError> {
        let bent = match self {
            Activation::Silu => ops::silu(g, gate)?,
            Activation::Gelu => ops::gelu(g, gate)?,
            Activation::ClampedSwiglu => {
                return ops::clamped_swiglu(g, ClampedSwiglu { alpha: 1.702, limit: 7.0 }, gate, up);
            }
        };
        ops::mul(g, &bent, up)
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
        Self::load_named(w, |part| format!("{block}.ffn_{part}"), [dim, ff], activation)
    }

    /// The shared expert of a mixture: the layer of the tensors `{block}.ffn_gate_shexp`, `ffn_up_shexp` and
    /// `ffn_down_shexp`.
    pub fn load_shared(w: &Weights<'_>, block: &str, dim: usize, ff: usize, activation: Activation) -> Self {
        Self::load_named(w, |part| format!("{block}.ffn_{part}_shexp"), [dim, ff], activation)
    }

    fn load_named(
        w: &Weights<'_>,
        name: impl Fn(&str) -> String,
        [dim, ff]: [usize; 2],
        activation: Activation,
    ) -> Self {
        let linear = |part: &str, out, input| Linear::load(w, &name(part), out, input);
        Self { gate: linear("gate", ff, dim), up: linear("up", ff, dim), down: linear("down", dim, ff), activation }
    }

    /// The layer of the tensors `{block}.ffn_up`, whose first `ff` rows are the gate's, and `ffn_down`.
    pub fn load_fused(w: &Weights<'_>, block: &str, dim: usize, ff: usize, activation: Activation) -> Self {
        let [gate, up] = Linear::load_parts(w, &format!("{block}.ffn_up"), [ff, ff], dim);
        Self { gate, up, down: Linear::load(w, &format!("{block}.ffn_down"), dim, ff), activation }
    }
}

impl Block for Mlp {
    fn forward(&self, g: &Graph, x: &Value, _rows: &Rows) -> Result<Value, OpError> {
        let gated = self.activation.gated(g, &self.gate.forward(g, x)?, &self.up.forward(g, x)?)?;
        self.down.forward(g, &gated)
    }
}
