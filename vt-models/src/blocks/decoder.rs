//! The way of a token through a decoder: embedding, layers, norm, head.

use vt_core::{DType, Desc, Graph, OpError, Sym, Value};
use vt_ops as ops;

use super::Linear;
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

/// One layer of a decoder.
pub trait DecoderLayer {
    /// `x` `[T, D]` to `[T, D]`.
    ///
    /// # Errors
    /// If `x` does not fit.
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError>;
}

/// A decoder: what surrounds the layers.
#[derive(Clone, Debug)]
pub struct Decoder<L> {
    embedding: Value,
    layers: Vec<L>,
    norm: Value,
    eps: f32,
    head: Linear,
}

impl<L: DecoderLayer> Decoder<L> {
    /// The decoder of the tensors `token_embd`, `output_norm` and `output`, and these layers. A head that the file
    /// lacks is the embedding table itself.
    pub fn load(w: &Weights<'_>, h: &Hparams, layer: impl Fn(&str) -> L) -> Self {
        let (embedding, head) = w.embedding_and_head("token_embd.weight", "output.weight", h.vocab, h.dim);
        Self {
            embedding,
            layers: (0..h.layers).map(|i| layer(&format!("blk.{i}"))).collect(),
            norm: w.vector("output_norm.weight", h.dim),
            eps: h.eps,
            head: Linear::new(head, w.optional_vector("output.bias", h.vocab)),
        }
    }

    /// The graph of a pass: its inputs are the tokens and the rows wanted, its output the logits `[R, V]`.
    ///
    /// # Errors
    /// If the values do not fit each other.
    pub fn record(&self, g: &Graph) -> Result<(), OpError> {
        let rows = Rows::inputs(g);
        let mut x = ops::embed(g, &rows.ids, &self.embedding)?;
        for layer in &self.layers {
            x = layer.forward(g, &x, &rows)?;
        }
        let wanted = ops::take_rows(g, &x, &rows.wanted)?;
        let normed = ops::rms_norm(g, &wanted, &self.norm, self.eps)?;
        g.output(&self.head.forward(g, &normed)?)
    }
}
