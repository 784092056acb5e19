//! The layer that most decoders are made of.

use vt_core::{Graph, OpError, Value};
use vt_ops as ops;

use super::{Block, Norm, Rows};
use crate::load::{Hparams, Weights};

/// A layer that normalizes what its parts are given: `h = x + attention(norm(x)); y = h + feed_forward(norm(h))`
/// (Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020).
#[derive(Clone, Debug)]
pub struct PreNorm<A, F> {
    attn_norm: Norm,
    attention: A,
    ffn_norm: Norm,
    feed_forward: F,
}

impl<A: Block, F: Block> PreNorm<A, F> {
    /// The layer of these parts and the norms `{block}.attn_norm` and `{block}.ffn_norm`.
    pub fn load(w: &Weights<'_>, block: &str, h: &Hparams, attention: A, feed_forward: F) -> Self {
        Self::load_named(w, block, ["attn_norm", "ffn_norm"], h, attention, feed_forward)
    }

    /// As [`PreNorm::load`], with other names of the norms before attention and feed-forward part.
    pub fn load_named(
        w: &Weights<'_>,
        block: &str,
        norms: [&str; 2],
        h: &Hparams,
        attention: A,
        feed_forward: F,
    ) -> Self {
        let [attn_norm, ffn_norm] = norms.map(|name| Norm::load(w, &format!("{block}.{name}"), h.dim, h.eps));
        Self { attn_norm, attention, ffn_norm, feed_forward }
    }
}

impl<A: Block, F: Block> Block for PreNorm<A, F> {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let attended = self.attention.forward(g, &self.attn_norm.forward(g, x)?, rows)?;
        let h = ops::add(g, x, &attended)?;
        let fed = self.feed_forward.forward(g, &self.ffn_norm.forward(g, &h)?, rows)?;
        ops::add(g, &h, &fed)
    }
}
