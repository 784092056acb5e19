//! Which layers have recurrent state, and which attend.

use vt_gguf::GgufError;

use super::windows::flags;
use super::{Hparams, Keys};

/// The layers of a model of both kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hybrid {
    recurrent: Vec<bool>,
}

impl Hybrid {
    /// Reads `attention.recurrent_layers`, a flag for each layer; without it `full_attention_interval`, 4 if the file has
    /// none: of so many layers the last one attends.
    ///
    /// # Errors
    /// A key of another type or length, or implausible.
    pub fn read(keys: &Keys<'_>, h: &Hparams) -> Result<Self, GgufError> {
        const FLAGS: &str = "attention.recurrent_layers";
        let recurrent = if keys.is_array(FLAGS) {
            flags(keys, FLAGS, h.layers)?
        } else {
            let interval = keys.optional_size("full_attention_interval")?.unwrap_or(4);
            (1..=h.layers).map(|layer| !layer.is_multiple_of(interval)).collect()
        };
        Ok(Self { recurrent })
    }

    /// Whether a layer, counted from 0, has recurrent state.
    pub fn is_recurrent(&self, layer: usize) -> bool {
        self.recurrent.get(layer).copied().unwrap_or(false)
    }
}
