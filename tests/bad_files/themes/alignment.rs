//! `general.alignment`.

use crate::forge::{array, f32, i32, string, u32, u64};
use crate::kind::{Kind, all};

const KEY: &str = "general.alignment";

pub const KINDS: &[Kind] = &[
    all("alignment-0", "The alignment is 0: dividing by it traps.", KEY, |f| f.set(KEY, u32(0))),
    all("alignment-3", "The alignment is odd.", KEY, |f| f.set(KEY, u32(3))),
    all("alignment-48", "The alignment is a multiple of 8, but no power of two.", KEY, |f| f.set(KEY, u32(48))),
    all("alignment-huge", "The alignment is 2 GiB: padding to it leaves the file.", KEY, |f| f.set(KEY, u32(1 << 31))),
    all("alignment-just-too-large", "The alignment is twice the largest one.", KEY, |f| f.set(KEY, u32(1 << 21))),
    all("alignment-wraps", "The alignment is 2^63: rounding up to it wraps.", KEY, |f| f.set(KEY, u64(1 << 63))),
    all("alignment-max", "The alignment is the largest number.", KEY, |f| f.set(KEY, u64(u64::MAX))),
    all("alignment-negative", "The alignment is -32.", KEY, |f| f.set(KEY, i32(-32))),
    all("alignment-min", "The alignment is the smallest number, whose absolute value does not fit.", KEY, |f| {
        f.set(KEY, i32(i32::MIN));
    }),
    all("alignment-float", "The alignment is a float.", KEY, |f| f.set(KEY, f32(32.0))),
    all("alignment-string", "The alignment is text.", KEY, |f| f.set(KEY, string("32"))),
    all("alignment-array", "The alignment is an array.", KEY, |f| f.set(KEY, array(4, 1, 32u32.to_le_bytes()))),
    all("alignment-64", "The data are aligned to less than the alignment says.", "output_norm.weight", |f| {
        f.set(KEY, u32(128));
    }),
    all(
        "alignment-of-another",
        "The alignment moves the data's start behind the file's end.",
        "token_embd.weight",
        |f| {
            f.set(KEY, u32(1 << 20));
        },
    ),
];
