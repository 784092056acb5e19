//! Types of tensors.

use crate::kind::{Kind, all, model_only};

const QUERIES: &str = "blk.0.attn_q.weight";

pub const KINDS: &[Kind] = &[
    all("removed-q4_2", "A tensor's type was removed from the format early.", QUERIES, |f| f.info(QUERIES).kind = 4),
    all("removed-q4_0_4_4", "A tensor's type was removed from the format late.", QUERIES, |f| {
        f.info(QUERIES).kind = 31
    }),
    all("removed-iq4_nl_4_4", "A tensor's type is the last that was removed.", QUERIES, |f| f.info(QUERIES).kind = 38),
    all("newer", "A tensor's type has the first number that is none.", QUERIES, |f| f.info(QUERIES).kind = 43),
    all("max", "A tensor's type is the largest number.", QUERIES, |f| f.info(QUERIES).kind = u32::MAX),
    all("negative", "A tensor's type is the smallest signed number.", QUERIES, |f| f.info(QUERIES).kind = 1 << 31),
    all("high-bits", "A tensor's type is one of the format's in its lowest byte only.", QUERIES, |f| {
        f.info(QUERIES).kind = 0x100 + 2;
    }),
    all("ragged", "The rows are not of whole blocks, though all elements together are.", QUERIES, |f| {
        f.info(QUERIES).ne = vec![31, 32];
    }),
    all("ragged-k", "The rows are half a block of 256, though there are two of them.", "blk.0.ffn_down.weight", |f| {
        f.info("blk.0.ffn_down.weight").ne = vec![128, 64];
    }),
    all("scalar-blocks", "A single number is of a block type.", QUERIES, |f| f.info(QUERIES).ne.clear()),
    model_only("foreign", "A weight is of a type of the format that vt does not have.", "blk.0.attn_v.weight", |f| {
        f.info("blk.0.attn_v.weight").kind = 20;
    })
    .may_be_right(),
    model_only(
        "foreign-norm",
        "A norm is of a type of the format that vt does not have.",
        "blk.0.attn_norm.weight",
        |f| {
            f.info("blk.0.attn_norm.weight").kind = 20;
        },
    )
    .may_be_right(),
    model_only("integers", "A weight is of integers.", "blk.0.attn_output.weight", |f| {
        f.info("blk.0.attn_output.weight").kind = 25;
    })
    .may_be_right(),
    model_only("table-of-integers", "The embedding table is of integers.", "token_embd.weight", |f| {
        f.info("token_embd.weight").kind = 24;
    })
    .may_be_right(),
    model_only("norm-of-integers", "A norm is of integers.", "output_norm.weight", |f| {
        f.info("output_norm.weight").kind = 26;
    })
    .may_be_right(),
    model_only("doubles", "A norm is of f64.", "blk.0.ffn_norm.weight", |f| {
        f.remove_tensor("blk.0.ffn_norm.weight");
        f.add("blk.0.ffn_norm.weight", &[32], 28, &[0; 256]);
    })
    .may_be_right(),
];
