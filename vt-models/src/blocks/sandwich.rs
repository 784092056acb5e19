//! The layer with norms on both sides of its parts.

use vt_core::{Graph, OpError, Value};
use vt_ops as ops;

use super::{Block, Norm, Rows};
use crate::load::{Hparams, Weights};

/// A layer that normalizes what its parts are given and what they give (Ding et al., CogView, 2021):
/// `h = x + norm(attention(norm(x))); y = h + norm(feed_forward(norm(h)))`.
#[derive(Clone, Debug)]
pub struct Sandwich<A, F> {
    attn_norm: Norm,
    attention: A,
    post_attn_norm: Norm,
    ffn_norm: Norm,
    feed_forward: F,
    post_ffn_norm: Norm,
}

impl<A: Block, F: Block> Sandwich<A, F> {
    /// The layer of these parts and the norms `{block}.attn_norm`, `post_attention_norm`, `ffn_norm` and
    /// `post_ffw_norm`.
    pub fn load(w: &Weights<'_>, block: &str, h: &Hparams, attention: A, feed_forward: F) -> Self {
        let norm = |name: &str| Norm::load(w, &format!("{block}.{name}"), h.dim, h.eps);
        Self {
            attn_norm: norm("attn_norm"),
            attention,
            post_attn_norm: norm("post_attention_norm"),
            ffn_norm: norm("ffn_norm"),
            feed_forward,
            post_ffn_norm: norm("post_ffw_norm"),
        }
    }
}

impl<A: Block, F: Block> Block for Sandwich<A, F> {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let attended = self.attention.forward(g, &self.attn_norm.forward(g, x)?, rows)?;
        let h = ops::add(g, x, &self.post_attn_norm.forward(g, &attended)?)?;
        let fed = self.feed_forward.forward(g, &self.ffn_norm.forward(g, &h)?, rows)?;
        ops::add(g, &h, &self.post_ffn_norm.forward(g, &fed)?)
    }
}
