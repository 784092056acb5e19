//! The way of a token through a decoder: embedding, layers, norm, head.

use vt_core::{DType, Desc, Graph, OpError, Sym, Value};
use vt_ops as ops;

use super::scaled::scale;
use super::{Linear, Norm};
use crate::arch::Architecture;
use crate::load::{Hparams, Weights};

/// What every pass gives beside the sequences' state.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The tokens: i32 `[T]`.
    pub ids: Value,
    /// Their places in their sequences: i32 `[T]`.
    pub positions: Value,
    /// Their sequences: i32 `[T]`.
    pub sequences: Value,
    /// The rows whose logits are wanted: i32 `[R]`.
    pub wanted: Value,
}

impl Rows {
    fn inputs(g: &Graph) -> Self {
        let (ids, wanted) =
            (g.input("ids", Desc::new(DType::I32, [Sym::T])), g.input("wanted", Desc::new(DType::I32, [Sym::R])));
        Self { ids, positions: g.positions(), sequences: g.sequences(), wanted }
    }
}

/// A part of a decoder that keeps the shape of its rows: attention, a feed-forward layer, or a layer made of them.
pub trait Block {
    /// `x` `[T, D]` to `[T, D]`.
    ///
    /// # Errors
    /// If `x` does not fit.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError>;
}

/// A part that differs from layer to layer.
impl Block for Box<dyn Block> {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        (**self).forward(g, x, rows)
    }
}

/// A decoder: what surrounds the layers.
#[derive(Clone, Debug)]
pub struct Decoder<L> {
    embedding: Value,
    embedding_scale: f32,
    layers: Vec<L>,
    norm: Norm,
    head: Linear,
    logit_scale: f32,
    logit_cap: f32,
}

impl<L: Block> Decoder<L> {
    /// The decoder of the tensors `token_embd`, `output_norm` and `output`, and of the layers that `layer` makes from
    /// their numbers and the names that their tensors start with: `blk.0` and so on. A head that the file lacks is the
    /// embedding table itself.
    pub fn load(w: &Weights<'_>, h: &Hparams, layer: impl Fn(usize, &str) -> L) -> Self {
        let (embedding, head) = w.embedding_and_head("token_embd.weight", "output.weight", h.vocab, h.dim);
        Self {
            embedding,
            embedding_scale: 1.0,
            layers: (0..h.layers).map(|i| layer(i, &format!("blk.{i}"))).collect(),
            norm: Norm::load(w, "output_norm", h.dim, h.eps),
            head: Linear::new(head, w.optional_vector("output.bias", h.vocab)),
            logit_scale: 1.0,
            logit_cap: 0.0,
        }
    }

    /// The decoder that multiplies the tokens' vectors by a factor.
    pub fn with_embedding_scale(self, factor: f32) -> Self {
        Self { embedding_scale: factor, ..self }
    }

    /// The decoder that multiplies the logits by a factor.
    pub fn with_logit_scale(self, factor: f32) -> Self {
        Self { logit_scale: factor, ..self }
    }

    /// The decoder whose logits never exceed a cap ([`ops::softcap`]).
    pub fn with_logit_cap(self, cap: f32) -> Self {
        Self { logit_cap: cap, ..self }
    }

    fn embed(&self, g: &Graph, rows: &Rows) -> Result<Value, OpError> {
        let x = ops::embed(g, &rows.ids, &self.embedding)?;
        scale(g, &x, self.embedding_scale)
    }
}

impl<L: Block> Architecture for Decoder<L> {
    fn record(&self, g: &Graph) -> Result<(), OpError> {
        let rows = Rows::inputs(g);
        let mut x = self.embed(g, &rows)?;
        for layer in &self.layers {
            x = layer.forward(g, &x, &rows)?;
        }
        let wanted = ops::take_rows(g, &x, &rows.wanted)?;
        let normed = self.norm.forward(g, &wanted)?;
        let logits = scale(g, &self.head.forward(g, &normed)?, self.logit_scale)?;
        g.output(&if self.logit_cap > 0.0 { ops::softcap(g, &logits, self.logit_cap)? } else { logits })
    }
}
