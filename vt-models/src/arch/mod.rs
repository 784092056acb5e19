//! Architectures: one file each.

mod llama;
mod qwen2;

use vt_core::{Graph, OpError};
use vt_gguf::{Gguf, GgufError};

use crate::blocks::CacheTypes;
use crate::load::{Hparams, Weights};

/// A model whose weights are taken, ready to be recorded.
pub trait Architecture {
    /// The graph of a pass: inputs `ids` `[T]` and `wanted` `[R]`, output the logits `[R, V]`.
    ///
    /// # Errors
    /// If the values do not fit each other.
    fn record(&self, g: &Graph) -> Result<(), OpError>;
}

/// How an architecture is made from a file.
type Load = fn(&Gguf, &Weights<'_>, CacheTypes) -> Result<(Hparams, Box<dyn Architecture>), GgufError>;

/// The list of architectures: a line an architecture, by its name in `general.architecture`.
const ARCHITECTURES: &[(&str, Load)] = &[("llama", llama::load), ("qwen2", qwen2::load)];

/// How the architecture of that name is made.
pub(crate) fn find(name: &str) -> Option<Load> {
    ARCHITECTURES.iter().find(|(n, _)| *n == name).map(|(_, load)| *load)
}

/// The names of the architectures that vt has.
pub fn names() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|(name, _)| *name)
}
