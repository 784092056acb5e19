//! Tensors that are not there.

use crate::forge::model;
use crate::kind::{Kind, model_only};

pub const KINDS: &[Kind] = &[
    model_only("no-table", "The embedding table is missing.", "token_embd.weight", |f| {
        f.remove_tensor("token_embd.weight")
    }),
    model_only("no-last-norm", "The last norm is missing.", "output_norm.weight", |f| {
        f.remove_tensor("output_norm.weight")
    }),
    model_only("no-attention-norm", "A layer's first norm is missing.", "blk.1.attn_norm.weight", |f| {
        f.remove_tensor("blk.1.attn_norm.weight");
    }),
    model_only("no-queries", "A layer's queries are missing.", "blk.0.attn_q.weight", |f| {
        f.remove_tensor("blk.0.attn_q.weight");
    }),
    model_only("no-values", "A layer's values are missing.", "blk.0.attn_v.weight", |f| {
        f.remove_tensor("blk.0.attn_v.weight");
    }),
    model_only("no-output", "A layer's output is missing.", "blk.1.attn_output.weight", |f| {
        f.remove_tensor("blk.1.attn_output.weight");
    }),
    model_only("no-gate", "A feed-forward layer's gate is missing.", "blk.0.ffn_gate.weight", |f| {
        f.remove_tensor("blk.0.ffn_gate.weight");
    }),
    model_only("no-down", "A feed-forward layer's second matrix is missing.", "blk.1.ffn_down.weight", |f| {
        f.remove_tensor("blk.1.ffn_down.weight");
    }),
    model_only("no-layer", "A whole layer is missing.", "blk.1.attn_", |f| {
        f.infos.retain(|info| !info.name.starts_with(b"blk.1."));
    }),
    model_only("no-tensors", "The model has no tensors.", "token_embd.weight", |f| {
        f.infos.clear();
        f.data.clear();
    })
    .may_be_right(),
    model_only("other-names", "The tensors have the names of another program.", "token_embd.weight", |f| {
        f.infos.iter_mut().for_each(|info| info.name.splice(..0, *b"model.").for_each(drop));
    }),
    model_only("upper-case", "A tensor's name is in capitals.", "output_norm.weight", |f| {
        f.info("output_norm.weight").name = b"OUTPUT_NORM.WEIGHT".into();
    }),
    model_only("one-less-layer-number", "Layers are counted from 1.", "blk.0.attn_", |f| {
        for info in &mut f.infos {
            if let Some(layer) = info.name.strip_prefix(b"blk.").map(|rest| rest[0]) {
                info.name[4] = layer + 1;
            }
        }
        assert_eq!(f.infos.len(), model(2).infos.len());
    }),
];
