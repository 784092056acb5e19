//! A linear layer.

use vt_core::{OpError, Recorder, Value};
use vt_ops as ops;

use crate::load::Weights;

/// `y = x W^T + b`, with W `[out, in]` and b left out where the file has none.
#[derive(Clone, Debug)]
pub struct Linear {
    weight: Value,
    bias: Option<Value>,
}

impl Linear {
    /// The layer of the tensors `{name}.weight` and, if there is one, `{name}.bias`.
    pub fn load(w: &Weights<'_>, name: &str, out: usize, input: usize) -> Self {
        let weight = w.matmul(&format!("{name}.weight"), out, input);
        Self { weight, bias: w.optional_vector(&format!("{name}.bias"), out) }
    }

    /// Layers of one input whose weights follow each other in the rows of the tensor `{name}.weight`, and their biases
    /// in `{name}.bias`, if there is one.
    pub fn load_parts<const N: usize>(w: &Weights<'_>, name: &str, outs: [usize; N], input: usize) -> [Self; N] {
        let weights = w.matmul_parts(&format!("{name}.weight"), outs, input);
        let biases = w.optional_vector_parts(&format!("{name}.bias"), outs);
        std::array::from_fn(|i| {
            let bias = biases.as_ref().map(|biases| biases[i].clone());
            Self { weight: weights[i].clone(), bias }
        })
    }

    /// A layer of these values.
    pub fn new(weight: Value, bias: Option<Value>) -> Self {
        Self { weight, bias }
    }

    /// `x` `[T, in]` to `[T, out]`.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &dyn Recorder, x: &Value) -> Result<Value, OpError> {
        let y = ops::matmul_bt(g, x, &self.weight)?;
        match &self.bias {
            Some(bias) => ops::add(g, &y, bias),
            None => Ok(y),
        }
    }
}
