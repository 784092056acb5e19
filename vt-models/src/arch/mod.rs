//! Architectures: one file each.

mod deepseek2;
mod ernie4_5;
mod gemma;
mod gemma2;
mod gemma3;
mod glm4;
mod gpt_oss;
mod granite;
mod llama;
mod mistral3;
mod olmo2;
mod phi3;
mod qwen2;
mod qwen2moe;
mod qwen3;
mod qwen35;
mod qwen35moe;
mod qwen3moe;
mod qwen3next;
mod seed_oss;
mod smollm3;

use vt_core::{Graph, OpError};
use vt_gguf::GgufError;

use crate::blocks::CacheTypes;
use crate::load::{Hparams, Keys, Weights};

/// A model whose weights are taken, ready to be recorded.
pub trait Architecture {
    /// The graph of a pass: inputs `ids` `[T]` and `wanted` `[R]`, output the logits `[R, V]`.
    ///
    /// # Errors
    /// If the values do not fit each other.
    fn record(&self, g: &Graph) -> Result<(), OpError>;
}

/// A model and its sizes.
type Loaded = (Hparams, Box<dyn Architecture>);

/// How an architecture is made from a file.
type Load = fn(&Keys<'_>, &Weights<'_>, CacheTypes) -> Result<Loaded, GgufError>;

/// The list of architectures: a line an architecture, by its name in `general.architecture`.
const ARCHITECTURES: &[(&str, Load)] = &[
    ("deepseek2", deepseek2::load),
    ("ernie4_5", ernie4_5::load),
    ("gemma", gemma::load),
    ("gemma2", gemma2::load),
    ("gemma3", gemma3::load),
    ("glm4", glm4::load),
    ("gpt-oss", gpt_oss::load),
    ("granite", granite::load),
    ("llama", llama::load),
    ("mistral3", mistral3::load),
    ("olmo2", olmo2::load),
    ("phi3", phi3::load),
    ("qwen2", qwen2::load),
    ("qwen2moe", qwen2moe::load),
    ("qwen3", qwen3::load),
    ("qwen35", qwen35::load),
    ("qwen35moe", qwen35moe::load),
    ("qwen3moe", qwen3moe::load),
    ("qwen3next", qwen3next::load),
    ("seed_oss", seed_oss::load),
    ("smollm3", smollm3::load),
];

/// How the architecture of that name is made.
pub(crate) fn find(name: &str) -> Option<Load> {
    ARCHITECTURES.iter().find(|(n, _)| *n == name).map(|(_, load)| *load)
}

/// The names of the architectures that vt has.
pub fn names() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|(name, _)| *name)
}
