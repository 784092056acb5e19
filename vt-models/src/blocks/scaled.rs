//! Constant factors.

use vt_core::{Graph, OpError, Value};
use vt_ops as ops;

use super::{Block, Rows};

/// A block whose values are multiplied by a factor: `factor * block(x)`.
#[derive(Clone, Debug)]
pub struct Scaled<B> {
    block: B,
    factor: f32,
}

impl<B: Block> Scaled<B> {
    /// `block` with this factor.
    pub fn new(block: B, factor: f32) -> Self {
        Self { block, factor }
    }
}

impl<B: Block> Block for Scaled<B> {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        scale(g, &self.block.forward(g, x, rows)?, self.factor)
    }
}

/// `factor * x`; a factor of 1 takes no step.
pub(super) fn scale(g: &Graph, x: &Value, factor: f32) -> Result<Value, OpError> {
    if factor == 1.0 { Ok(x.clone()) } else { ops::scale(g, x, factor) }
}
