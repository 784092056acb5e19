//! What models with recurrent layers have in place of Llama's keys and tensors.

use vt::gguf::{WriteError, Writer};

use super::{Tiny, special};

/// Gated DeltaNets, beside attention with output gates.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    /// Of so many layers the last one attends.
    pub interval: usize,
    pub key_heads: usize,
    pub heads: usize,
    /// Elements of a key or value of recurrent layers.
    pub dim: usize,
    /// Elements of an attention head that are turned.
    pub rotated: usize,
    pub sections: [u32; 4],
    /// Layers after the model's own that predict further tokens.
    pub predictors: usize,
}

const TAPS: usize = 4;

/// The layers that a file holds.
pub fn stored_layers(tiny: &Tiny) -> usize {
    tiny.layers + tiny.delta.map_or(0, |delta| delta.predictors)
}

/// The elements of a head that are turned, if the model is of this kind.
pub fn rotated(tiny: &Tiny) -> Option<usize> {
    tiny.delta.map(|delta| delta.rotated)
}

fn is_recurrent(tiny: &Tiny, delta: &Delta, layer: usize) -> bool {
    layer < tiny.layers && !(layer + 1).is_multiple_of(delta.interval)
}

/// The matrices of a layer, if the model is of this kind.
pub fn matrices(tiny: &Tiny, layer: usize) -> Option<Vec<(&'static str, Vec<usize>)>> {
    let delta = tiny.delta?;
    let dim = tiny.dim;
    let (q, kv) = (tiny.heads * tiny.head_dim, tiny.kv_heads * tiny.head_dim);
    let (keys, values) = (delta.key_heads * delta.dim, delta.heads * delta.dim);
    let mut list = if is_recurrent(tiny, &delta, layer) {
        vec![
            ("attn_qkv", vec![2 * keys + values, dim]),
            ("attn_gate", vec![values, dim]),
            ("ssm_conv1d", vec![2 * keys + values, TAPS]),
            ("ssm_out", vec![dim, values]),
        ]
    } else {
        vec![
            ("attn_q", vec![2 * q, dim]),
            ("attn_k", vec![kv, dim]),
            ("attn_v", vec![kv, dim]),
            ("attn_output", vec![dim, q]),
        ]
    };
    if is_recurrent(tiny, &delta, layer) {
        list.extend(match tiny.arch {
            "qwen3next" => vec![("ssm_ba", vec![2 * delta.heads, dim])],
            _ => vec![("ssm_alpha", vec![delta.heads, dim]), ("ssm_beta", vec![delta.heads, dim])],
        });
    }
    list.extend(special::feed_forward(tiny));
    if layer >= tiny.layers {
        list.push(("nextn.eh_proj", vec![dim, 2 * dim]));
    }
    Some(list)
}

/// The vectors of a layer, if the model is of this kind: name, length and mean.
pub fn vectors(tiny: &Tiny, layer: usize) -> Option<Vec<(&'static str, usize, f32)>> {
    let delta = tiny.delta?;
    let (dim, head) = (tiny.dim, tiny.head_dim);
    let mut list = vec![("attn_norm.weight", dim, 1.0), ("post_attention_norm.weight", dim, 1.0)];
    if is_recurrent(tiny, &delta, layer) {
        list.extend([
            ("ssm_norm.weight", delta.dim, 1.0),
            ("ssm_dt.bias", delta.heads, 0.0),
            ("ssm_a", delta.heads, -0.4),
        ]);
    } else {
        list.extend([("attn_q_norm.weight", head, 1.0), ("attn_k_norm.weight", head, 1.0)]);
    }
    if tiny.experts.is_some() {
        list.push(("ffn_gate_inp_shexp.weight", dim, 0.0));
    }
    if layer >= tiny.layers {
        list.extend([("nextn.enorm.weight", dim, 1.0), ("nextn.hnorm.weight", dim, 1.0)]);
    }
    Some(list)
}

/// The keys, if the model is of this kind.
pub fn keys(tiny: &Tiny, writer: &mut Writer<'_>) -> Result<(), WriteError> {
    let Some(delta) = tiny.delta else { return Ok(()) };
    let sizes = [
        ("full_attention_interval", delta.interval),
        ("nextn_predict_layers", delta.predictors),
        ("ssm.conv_kernel", TAPS),
        ("ssm.state_size", delta.dim),
        ("ssm.group_count", delta.key_heads),
        ("ssm.time_step_rank", delta.heads),
        ("ssm.inner_size", delta.heads * delta.dim),
    ];
    for (key, size) in sizes {
        writer.set(&format!("{}.{key}", tiny.arch), size as u32)?;
    }
    let sections = delta.sections.map(|pairs| pairs as i32);
    writer.set(&format!("{}.rope.dimension_sections", tiny.arch), sections)?;
    Ok(())
}
