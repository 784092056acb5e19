//! What models with latent attention have in place of Llama's keys and tensors. Their first layer is dense.

use vt::gguf::{WriteError, Writer};

use super::{Tiny, special};

/// Latent attention: plain parts of keys are as long as values, and those as long as heads.
#[derive(Clone, Copy, Debug)]
pub struct Latent {
    /// Elements of the vectors that keys and values are made of.
    pub rank: usize,
    /// Elements of the vectors that queries are made of.
    pub query_rank: Option<usize>,
    /// Elements of a key that are turned.
    pub turned: usize,
    /// Whether the file has matrices for compressed vectors.
    pub absorbed: bool,
    /// How many groups the experts are in, of which two are chosen from, by sigmoids, and with positions scaled by YaRN;
    /// else the softmax chooses, and positions are as they are.
    pub groups: Option<usize>,
}

/// Heads, elements of a key and of a value, and how many are turned, as the keys that all models have tell of them.
pub fn sizes(tiny: &Tiny) -> [usize; 4] {
    match tiny.latent {
        None => [tiny.kv_heads, tiny.head_dim, tiny.head_dim, special::rotated(tiny)],
        Some(Latent { rank, turned, absorbed: true, .. }) => [1, rank + turned, rank, turned],
        Some(Latent { turned, .. }) => [tiny.heads, tiny.head_dim + turned, tiny.head_dim, turned],
    }
}

/// Whether a layer of a model of experts has none.
pub fn is_dense(tiny: &Tiny, layer: usize) -> bool {
    tiny.latent.is_some() && layer == 0
}

/// The matrices of a layer's attention, if the model is of this kind.
pub fn attention(tiny: &Tiny) -> Option<Vec<(&'static str, Vec<usize>)>> {
    let Latent { rank, query_rank, turned, absorbed, .. } = tiny.latent?;
    let Tiny { heads, head_dim, dim, .. } = *tiny;
    let queries = heads * (head_dim + turned);
    let mut list = match query_rank {
        None => vec![("attn_q", vec![queries, dim])],
        Some(rank) => vec![("attn_q_a", vec![rank, dim]), ("attn_q_b", vec![queries, rank])],
    };
    list.push(("attn_kv_a_mqa", vec![rank + turned, dim]));
    if absorbed {
        list.extend([("attn_k_b", vec![heads, rank, head_dim]), ("attn_v_b", vec![heads, head_dim, rank])]);
    } else {
        list.push(("attn_kv_b", vec![2 * heads * head_dim, rank]));
    }
    list.push(("attn_output", vec![dim, heads * head_dim]));
    Some(list)
}

/// The vectors of a layer, if the model is of this kind: name, length and mean.
pub fn vectors(tiny: &Tiny, layer: usize) -> Option<Vec<(&'static str, usize, f32)>> {
    let latent = tiny.latent?;
    let mut list = vec![("attn_norm.weight", tiny.dim, 1.0), ("ffn_norm.weight", tiny.dim, 1.0)];
    list.push(("attn_kv_a_norm.weight", latent.rank, 1.0));
    list.extend(latent.query_rank.map(|rank| ("attn_q_a_norm.weight", rank, 1.0)));
    let experts = tiny.experts.filter(|_| latent.groups.is_some() && !is_dense(tiny, layer));
    list.extend(experts.map(|(experts, _)| ("exp_probs_b.bias", experts, 0.0)));
    Some(list)
}

/// The keys, if the model is of this kind.
pub fn keys(tiny: &Tiny, writer: &mut Writer<'_>) -> Result<(), WriteError> {
    let Some(latent) = tiny.latent else { return Ok(()) };
    let mut set = |key: &str, value: usize| writer.set(&format!("{}.{key}", tiny.arch), value as u32).map(drop);
    set("attention.kv_lora_rank", latent.rank)?;
    set("attention.q_lora_rank", latent.query_rank.unwrap_or(0))?;
    set("leading_dense_block_count", 1)?;
    set("expert_shared_count", 2)?;
    if latent.absorbed {
        set("attention.key_length_mla", tiny.head_dim + latent.turned)?;
        set("attention.value_length_mla", tiny.head_dim)?;
    }
    let Some(groups) = latent.groups else { return Ok(()) };
    set("attention.temperature_length", 5)?;
    set("expert_gating_func", 2)?;
    set("expert_group_count", groups)?;
    set("expert_group_used_count", 2)?;
    special::yarn(tiny.arch, writer)?;
    writer.set(&format!("{}.expert_weights_norm", tiny.arch), true)?;
    let numbers = [
        ("expert_weights_scale", 2.5f32),
        ("attention.temperature_scale", 0.3),
        ("rope.scaling.yarn_log_multiplier", 0.0707),
    ];
    for (key, number) in numbers {
        writer.set(&format!("{}.{key}", tiny.arch), number)?;
    }
    Ok(())
}
