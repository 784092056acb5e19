//! Llama (Touvron et al., 2023) and what shares its graph: SmolLM2, Mistral, TinyLlama.

use vt_core::op::RopeStyle;
use vt_core::{Graph, OpError, Value};
use vt_gguf::{Gguf, GgufError};
use vt_ops as ops;

use super::Architecture;
use crate::blocks::{Attention, CacheTypes, Decoder, DecoderLayer, Mlp, Rows};
use crate::load::{Hparams, Weights};

pub(super) fn load(
    gguf: &Gguf,
    w: &Weights<'_>,
    types: CacheTypes,
) -> Result<(Hparams, Box<dyn Architecture>), GgufError> {
    let h = Hparams::read(gguf, w)?;
    let model = decoder(w, &h, RopeStyle::Norm, types);
    Ok((h, Box::new(model)))
}

/// A decoder of Llama's layers, with the rotary style of the file's converter.
pub(super) fn decoder(w: &Weights<'_>, h: &Hparams, style: RopeStyle, types: CacheTypes) -> Decoder<Layer> {
    let pairs = h.rot / 2;
    let factors = w.optional_vector("rope_freqs.weight", pairs).unwrap_or_else(|| w.ones(pairs));
    Decoder::load(w, h, |block| Layer {
        attn_norm: w.vector(&format!("{block}.attn_norm.weight"), h.dim),
        attention: Attention::load(w, block, h, style, factors.clone(), types),
        ffn_norm: w.vector(&format!("{block}.ffn_norm.weight"), h.dim),
        mlp: Mlp::load(w, block, h),
        eps: h.eps,
    })
}

/// `h = x + attention(norm(x)); y = h + mlp(norm(h))`.
pub(super) struct Layer {
    attn_norm: Value,
    attention: Attention,
    ffn_norm: Value,
    mlp: Mlp,
    eps: f32,
}

impl DecoderLayer for Layer {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let normed = ops::rms_norm(g, x, &self.attn_norm, self.eps)?;
        let h = ops::add(g, x, &self.attention.forward(g, &normed, rows)?)?;
        let normed = ops::rms_norm(g, &h, &self.ffn_norm, self.eps)?;
        ops::add(g, &h, &self.mlp.forward(g, &normed)?)
    }
}

impl Architecture for Decoder<Layer> {
    fn record(&self, g: &Graph) -> Result<(), OpError> {
        Decoder::record(self, g)
    }
}
