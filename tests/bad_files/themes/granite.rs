//! The four scales of Granite.

use crate::forge::{File, Value, array_of, bool, f32, f64, string, u32};
use crate::kind::{Kind, model_only};

pub const EMBEDDING: &str = "granite.embedding_scale";
pub const RESIDUAL: &str = "granite.residual_scale";
pub const ATTENTION: &str = "granite.attention.scale";
const LOGIT: &str = "granite.logit_scale";

/// The model as a Granite with its scales, of which one is `value`.
pub fn with(f: &mut File, key: &str, value: Value) {
    for entry in &mut f.entries {
        if let Some(rest) = entry.key.strip_prefix(b"llama.") {
            entry.key = [b"granite.", rest].concat();
        }
    }
    f.set("general.architecture", string("granite"));
    for (key, scale) in [(EMBEDDING, 12.0), (RESIDUAL, 0.22), (ATTENTION, 0.4), (LOGIT, 8.0)] {
        f.set(key, f32(scale));
    }
    f.set(key, value);
}

/// The model without the scale of its logits.
fn without_logit_scale(f: &mut File) {
    with(f, EMBEDDING, f32(12.0));
    f.remove(LOGIT);
}

/// A kind with one of the scales changed.
macro_rules! scale {
    ($name:literal, $what:literal, $key:ident, $value:expr) => {
        model_only($name, $what, $key, |f| with(f, $key, $value))
    };
}

pub const KINDS: &[Kind] = &[
    model_only("logit-scale-none", "Nothing says what the logits are divided by.", LOGIT, without_logit_scale),
    scale!("logit-scale-0", "The logits are divided by 0.", LOGIT, f32(0.0)),
    scale!("logit-scale-negative", "The logits change their sign.", LOGIT, f32(-8.0)),
    scale!("logit-scale-nan-here", "The logits are divided by what is not a number.", LOGIT, f32(f32::NAN)),
    scale!("logit-scale-infinite", "The logits are divided by infinity.", LOGIT, f32(f32::INFINITY)),
    scale!("logit-scale-denormal", "1 over the logits' scale is infinite.", LOGIT, f32(f32::from_bits(1))),
    scale!("logit-scale-vanishes", "The logits' scale is 0 as an f32.", LOGIT, f64(1e-300)),
    scale!("logit-scale-text", "The logits' scale is a text.", LOGIT, string("8")),
    scale!("logit-scale-integer", "The logits' scale is an integer.", LOGIT, u32(8)),
    scale!("embedding-scale-negative", "The embeddings change their sign.", EMBEDDING, f32(-12.0)),
    scale!("embedding-scale-nan", "The embeddings' scale is not a number.", EMBEDDING, f32(f32::NAN)),
    scale!("embedding-scale-infinite", "The embeddings' scale is infinite.", EMBEDDING, f32(f32::INFINITY)),
    scale!("embedding-scale-overflows", "The embeddings' scale is infinite as an f32.", EMBEDDING, f64(1e300)),
    scale!("embedding-scale-vanishes", "The embeddings' scale is 0 as an f32, but is stated.", EMBEDDING, f64(1e-300)),
    scale!("embedding-scale-text", "The embeddings' scale is a text.", EMBEDDING, string("12")),
    scale!("embedding-scale-flag", "The embeddings' scale is a switch.", EMBEDDING, bool(true)),
    scale!("residual-scale-negative", "What each part adds is taken away.", RESIDUAL, f32(-0.22)),
    scale!("residual-scale-nan", "The scale of what is added is not a number.", RESIDUAL, f32(f32::NAN)),
    scale!("residual-scale-infinite", "The scale of what is added is infinite.", RESIDUAL, f32(f32::NEG_INFINITY)),
    scale!("residual-scale-vanishes", "The scale of what is added is 0 as an f32.", RESIDUAL, f64(-1e-300)),
    scale!("residual-scale-integer", "The scale of what is added is an integer.", RESIDUAL, u32(1)),
    scale!("residual-scale-list", "Each layer has a scale of its own.", RESIDUAL, array_of(&[f32(0.2), f32(0.3)])),
    scale!("scores-scale-negative", "What fits least is attended most.", ATTENTION, f32(-0.4)),
    scale!("scores-scale-nan", "The scale of attention's scores is not a number.", ATTENTION, f32(f32::NAN)),
    scale!("scores-scale-infinite", "The scale of attention's scores is infinite.", ATTENTION, f32(f32::INFINITY)),
    scale!("scores-scale-vanishes", "The scale of attention's scores is 0 as an f32.", ATTENTION, f64(1e-50)),
    scale!("scores-scale-text", "The scale of attention's scores is a text.", ATTENTION, string("0.4")),
];
