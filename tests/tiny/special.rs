//! What the architectures have beside the keys and matrices that all have.

use vt::gguf::{WriteError, Writer};

use super::Tiny;

/// The matrices of each layer's feed-forward part, beside a router.
pub fn feed_forward(tiny: &Tiny) -> Vec<(&'static str, Vec<usize>)> {
    let (dim, ff) = (tiny.dim, tiny.ff);
    let Some((experts, _)) = tiny.experts else {
        let down = ("ffn_down", vec![dim, ff]);
        if is_fused(tiny) {
            return vec![("ffn_up", vec![2 * ff, dim]), down];
        }
        return vec![("ffn_gate", vec![ff, dim]), ("ffn_up", vec![ff, dim]), down];
    };
    let names = ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"];
    let shapes = [vec![experts, ff, dim], vec![experts, ff, dim], vec![experts, dim, ff]];
    let mut matrices: Vec<_> = names.into_iter().zip(shapes).collect();
    let shared = match tiny.arch {
        "qwen2moe" | "qwen35moe" | "qwen3next" => dim,
        "deepseek2" => 2 * ff,
        _ => return matrices,
    };
    let names = ["ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"];
    matrices.extend(names.into_iter().zip([vec![shared, dim], vec![shared, dim], vec![dim, shared]]));
    matrices
}

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
        "qwen2" | "ernie4_5" => [&before[..], &biases].concat(),
        "seed_oss" => {
            let norms = [("attn_norm.weight", dim, 1.0), ("post_attention_norm.weight", dim, 1.0)];
            [&norms[..], &biases].concat()
        }
        "qwen2moe" => [&before[..], &biases, &[("ffn_gate_inp_shexp.weight", dim, 0.0)]].concat(),
        "qwen3" | "qwen3moe" => [before, heads].concat(),
        "gemma3" => [before, heads, after].concat(),
        "olmo2" => {
            let norms = [("attn_q_norm.weight", q, 1.0), ("attn_k_norm.weight", kv, 1.0)];
            [norms, after].concat()
        }
        "gemma2" => [before, after].concat(),
        "glm4" => [&before[..], &after, &[("attn_qkv.bias", q + 2 * kv, 0.0)]].concat(),
        "gpt-oss" => {
            let experts = tiny.experts.map_or(0, |(experts, _)| experts);
            let norms = [("attn_norm.weight", dim, 1.0), ("post_attention_norm.weight", dim, 1.0)];
            let more = [("attn_output.bias", dim, 0.0), ("attn_sinks.weight", tiny.heads, 0.0)];
            [&norms[..], &biases, &more, &[("ffn_gate_inp.bias", experts, 0.0)]].concat()
        }
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
    super::hybrid::keys(tiny, writer)?;
    if let Some((size, period)) = tiny.window {
        writer.set(&format!("{}.attention.sliding_window", tiny.arch), size)?;
        if let Some(period) = period {
            writer.set(&format!("{}.attention.sliding_window_pattern", tiny.arch), period)?;
        }
    }
    if let Some((experts, used)) = tiny.experts {
        writer.set(&format!("{}.expert_count", tiny.arch), experts as u32)?;
        writer.set(&format!("{}.expert_used_count", tiny.arch), used as u32)?;
        if tiny.arch != "llama" {
            writer.set(&format!("{}.expert_feed_forward_length", tiny.arch), tiny.ff as u32)?;
            writer.set(&format!("{}.expert_shared_feed_forward_length", tiny.arch), tiny.dim as u32)?;
        }
    }
    if tiny.arch == "gemma3" {
        // The layers that are not local: local ones have a base of 10,000 and no scaling.
        writer.set("gemma3.rope.scaling.type", "linear")?.set("gemma3.rope.scaling.factor", 4f32)?;
    }
    match tiny.arch {
        "gemma2" => caps(writer)?,
        "gpt-oss" => yarn(tiny.arch, writer)?,
        "mistral3" => {
            yarn(tiny.arch, writer)?;
            writer.set("mistral3.rope.scaling.yarn_log_multiplier", 0.7f32)?;
            writer.set("mistral3.attention.temperature_scale", 0.3f32)?;
        }
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

/// Positions scaled so that some pairs are between those that are scaled and those that are not. Where scores grow, they
/// do from the sixth token on. llama.cpp reads the numbers of turns for Ministral only; others have those of the paper.
pub fn yarn(arch: &str, writer: &mut Writer<'_>) -> Result<(), WriteError> {
    writer.set(&format!("{arch}.rope.scaling.type"), "yarn")?.set(&format!("{arch}.rope.scaling.factor"), 8f32)?;
    let original = if arch == "mistral3" { 5u32 } else { 60 };
    writer.set(&format!("{arch}.rope.scaling.original_context_length"), original)?;
    if arch == "mistral3" {
        writer.set("mistral3.rope.scaling.yarn_beta_fast", 0.5f32)?;
        writer.set("mistral3.rope.scaling.yarn_beta_slow", 0.01f32)?;
    }
    Ok(())
}
