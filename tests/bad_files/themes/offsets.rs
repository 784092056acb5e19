//! Where tensors' bytes are said to be.

use crate::kind::{Kind, all};

const NORM: &str = "output_norm.weight";
const QUERIES: &str = "blk.0.attn_q.weight";

pub const KINDS: &[Kind] = &[
    all("unaligned", "A tensor starts a byte too late.", NORM, |f| f.info(NORM).offset += 1),
    all("half-aligned", "A tensor starts at a multiple of 16 of 32.", NORM, |f| f.info(NORM).offset += 16),
    all("at-the-end", "A tensor starts where the data end.", NORM, |f| f.info(NORM).offset = f.data.len() as u64),
    all("one-block-behind", "A tensor ends one block behind the data.", NORM, |f| {
        f.info(NORM).offset = f.data.len() as u64 - 96;
    }),
    all("far-behind", "A tensor starts a terabyte behind the data.", NORM, |f| f.info(NORM).offset = 1 << 40),
    all("offset-max", "A tensor's offset is the largest number.", NORM, |f| f.info(NORM).offset = u64::MAX),
    all("offset-max-aligned", "A tensor's end wraps around to the start of the data.", NORM, |f| {
        f.info(NORM).offset = u64::MAX - 31;
    }),
    all("offset-negative", "A tensor's offset is the smallest signed number.", NORM, |f| f.info(NORM).offset = 1 << 63),
    all("offset-wraps-to-header", "A tensor's place, by wrapping, is the file's header.", NORM, |f| {
        let head = f.head().len().next_multiple_of(32) as u64;
        f.info(NORM).offset = 0u64.wrapping_sub(head);
    }),
    all("same-offset", "Two tensors are at the same place.", NORM, |f| f.info(NORM).offset = 0),
    all("inside-another", "A tensor is inside of another one.", NORM, |f| f.info(NORM).offset = 64),
    all("overlap-at-the-end", "A tensor starts before the one in front of it ends.", NORM, |f| {
        f.info(NORM).offset -= 32;
    }),
    all("all-at-0", "All tensors are at the same place.", "tensor", |f| {
        f.infos.iter_mut().for_each(|info| info.offset = 0);
    }),
    all("swapped", "Two tensors of different sizes have changed places.", "tensor", |f| {
        let (norm, queries) = (f.info(NORM).offset, f.info(QUERIES).offset);
        f.info(NORM).offset = queries;
        f.info(QUERIES).offset = norm;
    }),
];
