//! Names and dimensions of tensors as they are written.

use crate::kind::{Kind, all};

const NORM: &str = "output_norm.weight";

pub const KINDS: &[Kind] = &[
    all("name-empty", "A tensor has no name.", "tensor", |f| f.info(NORM).name.clear()),
    all("name-long", "A tensor's name is a byte longer than the format allows.", "65 bytes", |f| {
        f.info(NORM).name = vec![b'n'; 65];
    }),
    all("name-very-long", "A tensor's name is of 100,000 letters.", "100000 bytes", |f| {
        f.info(NORM).name = vec![b'n'; 100_000];
    }),
    all("name-zero-byte", "A tensor's name has a zero byte, where C's strings end.", "tensor", |f| {
        f.info(NORM).name = b"output_norm.weight\0".into();
    }),
    all("name-not-utf8", "A tensor's name is not UTF-8.", "tensor", |f| {
        f.info(NORM).name = b"output_\xf5.weight".into()
    }),
    all("name-behind-end", "A tensor's name claims to go on behind the file's end.", "tensor info 1", |f| {
        f.info(NORM).name_len = Some(1 << 32);
    }),
    all("name-max", "A tensor's name claims to be as long as a number can say.", "tensor info 1", |f| {
        f.info(NORM).name_len = Some(u64::MAX);
    }),
    all("name-lines", "A bad tensor's name would break the message into lines.", "tensor", |f| {
        f.info(NORM).rank = Some(9);
        f.info(NORM).name = b"a\nerror: b\x1b[2J".into();
    }),
    all("rank-5", "A tensor has five dimensions.", NORM, |f| f.info(NORM).ne = vec![32, 1, 1, 1, 1]),
    all("rank-max", "A tensor claims 4294967295 dimensions.", NORM, |f| f.info(NORM).rank = Some(u32::MAX)),
    all("rank-more-than-written", "A tensor claims a dimension more than it has.", "tensor", |f| {
        f.info(NORM).rank = Some(2);
    }),
    all("rank-less-than-written", "A tensor claims a dimension less than it has.", "tensor", |f| {
        f.info("blk.0.attn_q.weight").rank = Some(1);
    }),
    all("dimension-negative", "A dimension is -1.", NORM, |f| f.info(NORM).ne = vec![u64::MAX]),
    all("dimension-min", "A dimension is the smallest signed number.", NORM, |f| f.info(NORM).ne = vec![1 << 63]),
    all("product-wraps-to-0", "The number of elements wraps to 0.", NORM, |f| f.info(NORM).ne = vec![1 << 32, 1 << 32]),
    all("product-wraps-to-32", "The number of elements wraps to the right one.", NORM, |f| {
        // Three times this is 2^64 + 32.
        f.info(NORM).ne = vec![6_148_914_691_236_517_216, 3];
    }),
    all("product-above-i64", "The number of elements fits an unsigned number only.", NORM, |f| {
        f.info(NORM).ne = vec![1 << 62, 2];
    }),
    all("zero-hides-overflow", "The other dimensions of an empty tensor overflow.", NORM, |f| {
        f.info(NORM).ne = vec![0, 1 << 40, 1 << 40];
    }),
    all("bytes-wrap", "A tensor's size in bytes wraps to 128.", NORM, |f| f.info(NORM).ne = vec![(1 << 62) + 32]),
    all("bytes-above-i64", "A tensor's size in bytes is 2^63.", NORM, |f| f.info(NORM).ne = vec![1 << 61]),
    all("cut-in-info", "The file ends within a tensor info.", "tensor", |f| {
        f.instead = Some(f.head()[..f.head().len() - 10].into());
    }),
    all("cut-behind-infos", "The file ends behind its tensor infos.", "token_embd.weight", |f| {
        f.instead = Some(f.head())
    }),
];
