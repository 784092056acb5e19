//! Samplers against their definitions, against llama.cpp, and at their edges.

mod chi_square;
mod edges;
mod frequencies;
mod llama_cpp;
mod penalties;
mod reference;

use super::SamplerConfig;

/// Nothing but the draw.
const OFF: SamplerConfig = SamplerConfig {
    temperature: 1.0,
    top_k: 0,
    top_p: 1.0,
    min_p: 0.0,
    repeat_penalty: 1.0,
    repeat_last_n: 64,
    presence_penalty: 0.0,
    frequency_penalty: 0.0,
    logit_bias: Vec::new(),
    seed: 1,
};

/// Logits of ten tokens; 2 and 7 are equal, 5 is excluded.
const LOGITS: [f32; 10] = [0.1, 1.5, 2.0, -1.0, 0.7, f32::NEG_INFINITY, -3.0, 2.0, 1.1, -0.2];
