//! Dimensions that are not those the model needs.

use crate::kind::{Kind, model_only};

pub const KINDS: &[Kind] = &[
    model_only("table-transposed", "The embedding table is transposed.", "token_embd.weight", |f| {
        let info = f.info("token_embd.weight");
        (info.ne, info.kind) = (vec![262, 32], 24);
    }),
    model_only("queries-flat", "A matrix is written as a vector.", "blk.0.attn_q.weight", |f| {
        f.info("blk.0.attn_q.weight").ne = vec![1024];
    }),
    model_only("queries-deep", "A matrix has a third dimension.", "blk.0.attn_q.weight", |f| {
        f.info("blk.0.attn_q.weight").ne = vec![32, 16, 2];
    }),
    model_only("norm-longer", "A norm has more elements than a vector.", "blk.1.attn_norm.weight", |f| {
        f.remove_tensor("blk.1.attn_norm.weight");
        f.add("blk.1.attn_norm.weight", &[33], 0, &[0; 132]);
    }),
    model_only("norm-shorter", "A norm has less elements than a vector.", "blk.1.ffn_norm.weight", |f| {
        f.info("blk.1.ffn_norm.weight").ne = vec![31];
    }),
    model_only("norm-scalar", "A norm is a single number.", "output_norm.weight", |f| {
        f.info("output_norm.weight").ne.clear()
    }),
    model_only("norm-empty", "A norm has no elements.", "output_norm.weight", |f| {
        f.info("output_norm.weight").ne = vec![0]
    }),
    model_only("table-no-rows", "The embedding table has no rows.", "token_embd.weight", |f| {
        f.info("token_embd.weight").ne = vec![32, 0];
    }),
    model_only("table-no-columns", "The embedding table's rows are empty.", "token_embd.weight", |f| {
        f.info("token_embd.weight").ne = vec![0, 262];
    }),
    model_only("keys-fewer", "The keys have less rows than the heads need.", "blk.0.attn_k.weight", |f| {
        f.info("blk.0.attn_k.weight").ne = vec![32, 15];
    }),
    model_only("down-fewer", "A matrix has half of its rows.", "blk.1.ffn_down.weight", |f| {
        f.info("blk.1.ffn_down.weight").ne = vec![256, 16];
    }),
    model_only("head-smaller", "The head has less rows than the vocabulary.", "output.weight", |f| {
        f.add("output.weight", &[32, 4], 0, &[0; 512]);
    }),
    model_only("bias-shorter", "A bias has less elements than its matrix rows.", "blk.0.attn_q.bias", |f| {
        f.add("blk.0.attn_q.bias", &[4], 0, &[0; 16]);
    }),
    model_only("factors-fewer", "There are less rotary factors than pairs.", "rope_freqs.weight", |f| {
        f.add("rope_freqs.weight", &[4], 0, &[0; 16]);
    }),
];
