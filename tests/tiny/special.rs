//! What the architectures have beside the keys and matrices that all have.

use vt::gguf::{WriteError, Writer};

use super::Tiny;

/// The model's name. llama.cpp wants special tokens in vocabularies of models whose names have a `phi3` in them.
pub fn name(tiny: &Tiny) -> &'static str {
    tiny.name.strip_prefix("phi3-").unwrap_or(tiny.name)
}

/// Whether queries, keys and values are rows of one matrix, and gate and up of another.
pub fn is_fused(tiny: &Tiny) -> bool {
    matches!(tiny.arch, "phi3" | "glm4")
}

/// The elements of a head that are turned.
pub fn rotated(tiny: &Tiny) -> usize {
    if is_fused(tiny) { tiny.head_dim / 4 * 2 } else { tiny.head_dim }
}

/// The vectors of each layer: name, length and mean.
pub fn vectors(tiny: &Tiny) -> Vec<(&'static str, usize, f32)> {
    let (q, kv, dim, head) = (tiny.heads * tiny.head_dim, tiny.kv_heads * tiny.head_dim, tiny.dim, tiny.head_dim);
    let before = [("attn_norm.weight", dim, 1.0), ("ffn_norm.weight", dim, 1.0)];
    let heads = [("attn_q_norm.weight", head, 1.0), ("attn_k_norm.weight", head, 1.0)];
    let after = [("post_attention_norm.weight", dim, 1.0), ("post_ffw_norm.weight", dim, 1.0)];
    let biases = [("attn_q.bias", q, 0.0), ("attn_k.bias", kv, 0.0), ("attn_v.bias", kv, 0.0)];
    match tiny.arch {
        "qwen2" => [&before[..], &biases].concat(),
        "qwen3" => [before, heads].concat(),
        "gemma3" => [before, heads, after].concat(),
        "olmo2" => {
            let norms = [("attn_q_norm.weight", q, 1.0), ("attn_k_norm.weight", kv, 1.0)];
            [norms, after].concat()
        }
        "gemma2" => [before, after].concat(),
        "glm4" => [&before[..], &after, &[("attn_qkv.bias", q + 2 * kv, 0.0)]].concat(),
        "granite" | "mistral3" => {
            let more = [("attn_output.bias", dim, 0.0), ("ffn_gate.bias", tiny.ff, 0.0), ("ffn_down.bias", dim, 0.0)];
            [&before[..], &biases, &more].concat()
        }
        _ => before.into(),
    }
}

/// The vectors outside the layers, beside the last norm.
pub fn outer_vectors(tiny: &Tiny) -> Vec<(&'static str, usize, f32)> {
    match tiny.arch {
        "granite" => vec![("rope_freqs.weight", tiny.head_dim / 2, 1.0)],
        "phi3" => ["rope_factors_long.weight", "rope_factors_short.weight"]
            .map(|name| (name, rotated(tiny) / 2, 1.5))
            .to_vec(),
        _ => Vec::new(),
    }
}

/// The keys.
pub fn keys(tiny: &Tiny, writer: &mut Writer<'_>) -> Result<(), WriteError> {
    if let Some((size, period)) = tiny.window {
        writer.set(&format!("{}.attention.sliding_window", tiny.arch), size)?;
        if let Some(period) = period {
            writer.set(&format!("{}.attention.sliding_window_pattern", tiny.arch), period)?;
        }
    }
    if tiny.arch == "gemma3" {
        // The layers that are not local: local ones have a base of 10,000 and no scaling.
        writer.set("gemma3.rope.scaling.type", "linear")?.set("gemma3.rope.scaling.factor", 4f32)?;
    }
    match tiny.arch {
        "gemma2" => caps(writer)?,
        "mistral3" => yarn(writer)?,
        "phi3" => {
            writer.set("phi3.rope.scaling.original_context_length", 256u32)?;
            writer.set("phi3.rope.scaling.attn_factor", 1.19f32)?;
        }
        _ => {}
    }
    if tiny.name == "glm4-axes" {
        writer.set("glm4.rope.dimension_sections", [2i32, 2, 2, 0])?;
    }
    if tiny.arch == "granite" {
        writer.set("granite.embedding_scale", 12f32)?.set("granite.residual_scale", 0.22f32)?;
        writer.set("granite.attention.scale", 0.4f32)?.set("granite.logit_scale", 8f32)?;
    }
    Ok(())
}

/// Caps that some scores and logits come near to.
fn caps(writer: &mut Writer<'_>) -> Result<(), WriteError> {
    writer.set("gemma2.attn_logit_softcapping", 1.5f32)?.set("gemma2.final_logit_softcapping", 2.5f32)?;
    Ok(())
}

/// Positions scaled so that some pairs are between those that are scaled and those that are not, and scores that grow
/// from the sixth token on.
fn yarn(writer: &mut Writer<'_>) -> Result<(), WriteError> {
    writer.set("mistral3.rope.scaling.type", "yarn")?;
    writer.set("mistral3.rope.scaling.original_context_length", 5u32)?;
    let numbers = [
        ("rope.scaling.factor", 8f32),
        ("rope.scaling.yarn_beta_fast", 0.5),
        ("rope.scaling.yarn_beta_slow", 0.01),
        ("rope.scaling.yarn_log_multiplier", 0.7),
        ("attention.temperature_scale", 0.3),
    ];
    for (key, number) in numbers {
        writer.set(&format!("mistral3.{key}"), number)?;
    }
    Ok(())
}
