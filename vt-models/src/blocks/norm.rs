//! Norms.

use vt_core::{OpError, Recorder, Value};
use vt_ops as ops;

use crate::load::Weights;

/// A root-mean-square norm ([`ops::rms_norm`]): of rows as wide as its weight, or of each head of that width.
#[derive(Clone, Debug)]
pub struct Norm {
    weight: Value,
    eps: f32,
}

impl Norm {
    /// The norm of the tensor `{name}.weight` of `len` elements.
    pub fn load(w: &Weights<'_>, name: &str, len: usize, eps: f32) -> Self {
        Self { weight: w.vector(&format!("{name}.weight"), len), eps }
    }

    /// `x` `[T, G * len]` to the same shape, each group of `len` normalized by itself.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
        ops::rms_norm(g, x, &self.weight, self.eps)
    }
}
