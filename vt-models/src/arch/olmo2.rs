//! OLMo 2 and 3 (OLMo Team, 2024): layers that normalize what their parts give, not what these are given, and the whole
//! row of queries and of keys.

use vt_core::op::RopeStyle;
use vt_core::{Graph, OpError, Value};
use vt_gguf::GgufError;
use vt_ops as ops;

use super::Loaded;
use crate::blocks::{Activation, Attention, AttentionSpec, Block, CacheTypes, Decoder, Mlp, Norm, Rows};
use crate::load::{Hparams, Keys, Weights, Windows};

pub(super) fn load(keys: &Keys<'_>, w: &Weights<'_>, cache: CacheTypes) -> Result<Loaded, GgufError> {
    let h = Hparams::read(keys)?;
    let ff = keys.uniform("feed_forward_length", h.layers)?;
    let windows = Windows::read(keys, h.layers, 4)?;
    let global = AttentionSpec::read(keys, w, &h, RopeStyle::Neox, cache)?;
    let rotary = global.rotary.with_frequencies(global.rotary.base(), 1.0);
    let local = AttentionSpec { rotary, window: windows.size, ..global.clone() };
    w.demand("output.weight");
    let model = Decoder::load(w, &h, |layer, block| {
        let spec = if windows.is_local(layer) { &local } else { &global };
        Layer::load(w, block, &h, spec, ff)
    });
    Ok((h, Box::new(model)))
}

/// `h = x + norm(attention(x)); y = h + norm(mlp(h))`.
struct Layer {
    attention: Attention,
    attn_norm: Norm,
    mlp: Mlp,
    ffn_norm: Norm,
}

impl Layer {
    fn load(w: &Weights<'_>, block: &str, h: &Hparams, spec: &AttentionSpec, ff: usize) -> Self {
        let norm = |name: &str, len: usize| Norm::load(w, &format!("{block}.{name}"), len, h.eps);
        let q_norm = norm("attn_q_norm", spec.heads * spec.key_dim);
        let k_norm = norm("attn_k_norm", spec.kv_heads * spec.key_dim);
        Self {
            attention: Attention::load(w, block, spec).with_norms(q_norm, k_norm),
            attn_norm: norm("post_attention_norm", h.dim),
            mlp: Mlp::load(w, block, h.dim, ff, Activation::Silu),
            ffn_norm: norm("post_ffw_norm", h.dim),
        }
    }
}

impl Block for Layer {
    fn forward(&self, g: &Graph, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        let attended = self.attention.forward(g, x, rows)?;
        let h = ops::add(g, x, &self.attn_norm.forward(g, &attended)?)?;
        let fed = self.mlp.forward(g, &h, rows)?;
        ops::add(g, &h, &self.ffn_norm.forward(g, &fed)?)
    }
}
