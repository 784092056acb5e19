//! Qwen2 and Qwen2.5 (Yang et al., 2024): Llama's layers with biases on queries, keys and values, and the rotary pairs
//! in halves.

use vt_core::op::RopeStyle;
use vt_gguf::{Gguf, GgufError};

use super::{Architecture, llama};
use crate::blocks::CacheTypes;
use crate::load::{Hparams, Weights};

pub(super) fn load(
    gguf: &Gguf,
    w: &Weights<'_>,
    types: CacheTypes,
) -> Result<(Hparams, Box<dyn Architecture>), GgufError> {
    let h = Hparams::read(gguf, w)?;
    let model = llama::decoder(w, &h, RopeStyle::Neox, types);
    Ok((h, Box::new(model)))
}
