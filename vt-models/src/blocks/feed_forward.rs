//! Feed-forward layers that are dense or mixtures of experts.

use vt_core::{Graph, OpError, Value};

use super::{Block, Mlp, Moe, Rows};

/// A feed-forward layer of a model that has both kinds, or of files that have one or the other.
#[derive(Clone, Debug)]
pub enum FeedForward {
    /// All weights for every token.
    Dense(Box<Mlp>),
    /// Some experts' for each.
    Experts(Box<Moe>),
}

impl From<Mlp> for FeedForward {
    fn from(mlp: Mlp) -> Self {
        FeedForward::Dense(Box::new(mlp))
    }
}

impl From<Moe> for FeedForward {
    fn from(moe: Moe) -> Self {
        FeedForward::Experts(Box::new(moe))
    }
}

impl Block for FeedForward {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        match self {
            FeedForward::Dense(mlp) => mlp.forward(g, x, rows),
            FeedForward::Experts(moe) => moe.forward(g, x, rows),
        }
    }
}
