//! What vt does not have: computing without it would be wrong.

use crate::forge::{bool, f32, u32};
use crate::kind::{Kind, model_only};

pub const KINDS: &[Kind] = &[
    model_only("experts", "The model is a mixture of experts.", "expert_count", |f| {
        f.set("llama.expert_count", u32(8))
    })
    .may_be_right(),
    model_only("experts-negative", "The model has -1 experts.", "expert_count", |f| {
        f.set("llama.expert_count", crate::forge::i32(-1));
    }),
    model_only("attention-scale", "Attention has a scale of its own.", "attention.scale", |f| {
        f.set("llama.attention.scale", f32(0.5));
    })
    .may_be_right(),
    model_only("clamped", "Queries, keys and values are clamped.", "attention.clamp_kqv", |f| {
        f.set("llama.attention.clamp_kqv", f32(8.0));
    })
    .may_be_right(),
    model_only("alibi", "Positions are biases.", "attention.max_alibi_bias", |f| {
        f.set("llama.attention.max_alibi_bias", f32(8.0));
    })
    .may_be_right(),
    model_only("residual-scale", "The residual stream is scaled.", "residual_scale", |f| {
        f.set("llama.residual_scale", f32(2.0));
    })
    .may_be_right(),
    model_only("embedding-scale", "Embeddings are scaled.", "embedding_scale", |f| {
        f.set("llama.embedding_scale", f32(12.0))
    })
    .may_be_right(),
    model_only("parallel", "Attention and feed-forward layer run side by side.", "use_parallel_residual", |f| {
        f.set("llama.use_parallel_residual", bool(true));
    })
    .may_be_right(),
    model_only("not-causal", "Attention looks ahead.", "attention.causal", |f| {
        f.set("llama.attention.causal", bool(false))
    })
    .may_be_right(),
    model_only("layer-tensor", "A layer has a tensor that llama has not.", "blk.0.attn_q_norm.weight", |f| {
        f.add("blk.0.attn_q_norm.weight", &[16], 0, &[0; 64]);
    })
    .may_be_right(),
    model_only(
        "layer-experts",
        "A layer has experts that the metadata do not tell of.",
        "blk.1.ffn_gate_exps.weight",
        |f| {
            f.add("blk.1.ffn_gate_exps.weight", &[4, 2, 2], 0, &[0; 64]);
        },
    )
    .may_be_right(),
    model_only("embedding-norm", "Embeddings are normed.", "token_embd_norm.weight", |f| {
        f.add("token_embd_norm.weight", &[32], 0, &[0; 128]);
    })
    .may_be_right(),
    model_only("positions", "Positions are looked up in a table.", "position_embd.weight", |f| {
        f.add("position_embd.weight", &[32, 4], 0, &[0; 512]);
    })
    .may_be_right(),
    model_only("long-factors", "Rotary factors depend on the length.", "rope_factors_long.weight", |f| {
        f.add("rope_factors_long.weight", &[8], 0, &[0; 32]);
    })
    .may_be_right(),
    model_only("norm-bias", "The last norm has a bias.", "output_norm.bias", |f| {
        f.add("output_norm.bias", &[32], 0, &[0; 128]);
    })
    .may_be_right(),
];
