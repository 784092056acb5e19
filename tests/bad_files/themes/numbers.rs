//! Floats that are not numbers, not finite, or vanish.

use crate::forge::{f32, f64, string, u32};
use crate::kind::{Kind, model_only};

const EPSILON: &str = "llama.attention.layer_norm_rms_epsilon";

pub const KINDS: &[Kind] = &[
    model_only("epsilon-0", "The norms' epsilon is 0: a vector of zeros divides by zero.", EPSILON, |f| {
        f.set(EPSILON, f32(0.0))
    }),
    model_only("epsilon-negative", "The norms' epsilon is negative: a root of less than zero.", EPSILON, |f| {
        f.set(EPSILON, f32(-1e-5));
    }),
    model_only("epsilon-nan", "The norms' epsilon is not a number.", EPSILON, |f| f.set(EPSILON, f32(f32::NAN))),
    model_only("epsilon-infinite", "The norms' epsilon is infinite.", EPSILON, |f| f.set(EPSILON, f32(f32::INFINITY))),
    model_only("epsilon-vanishes", "The norms' epsilon is 0 as an f32.", EPSILON, |f| f.set(EPSILON, f64(1e-300))),
    model_only("epsilon-overflows", "The norms' epsilon is infinite as an f32.", EPSILON, |f| {
        f.set(EPSILON, f64(1e300))
    }),
    model_only("base-nan", "The rotary base is not a number.", "llama.rope.freq_base", |f| {
        f.set("llama.rope.freq_base", f32(f32::NAN));
    }),
    model_only("base-negative", "The rotary base is negative: its powers are not real.", "llama.rope.freq_base", |f| {
        f.set("llama.rope.freq_base", f32(-10_000.0));
    }),
    model_only("base-infinite", "The rotary base is infinite.", "llama.rope.freq_base", |f| {
        f.set("llama.rope.freq_base", f32(f32::INFINITY));
    }),
    model_only("factor-nan", "The scaling factor is not a number.", "llama.rope.scaling.factor", |f| {
        f.set("llama.rope.scaling.factor", f32(f32::NAN));
    }),
    model_only("factor-negative", "The scaling factor is negative.", "llama.rope.scaling.factor", |f| {
        f.set("llama.rope.scaling.factor", f32(-2.0));
    }),
    model_only(
        "factor-denormal",
        "The scaling factor is denormal: 1 over it is infinite.",
        "llama.rope.scaling.factor",
        |f| {
            f.set("llama.rope.scaling.factor", f32(f32::from_bits(1)));
        },
    ),
    model_only("old-factor-denormal", "The factor under its old key is denormal.", "llama.rope.scale_linear", |f| {
        f.set("llama.rope.scale_linear", f32(f32::from_bits(1)));
    }),
    model_only("scaling-unknown", "The rotary scaling is of a kind that nobody has.", "rope.scaling.type", |f| {
        f.set("llama.rope.scaling.type", string("twisted"));
    })
    .may_be_right(),
    model_only("scaling-a-number", "The kind of rotary scaling is a number.", "llama.rope.scaling.type", |f| {
        f.set("llama.rope.scaling.type", u32(1));
    }),
    model_only(
        "scaling-lines",
        "The kind of rotary scaling would break the message into lines.",
        "rope.scaling.type",
        |f| {
            f.set("llama.rope.scaling.type", string("a\nerror: b"));
        },
    )
    .may_be_right(),
    model_only("logit-scale-nan", "The logits' scale is not a number.", "logit_scale", |f| {
        f.set("llama.logit_scale", f32(f32::NAN));
    }),
];
