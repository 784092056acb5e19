//! Which layers have recurrent state, and which attend.

use vt_gguf::GgufError;

use super::windows::flags;
use super::{Hparams, Keys, Weights};

/// The layers of a model of both kinds, with those that follow the model's own to predict further tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hybrid {
    recurrent: Vec<bool>,
    predictors: usize,
}

impl Hybrid {
    /// Reads `attention.recurrent_layers`, a flag for each layer; without it `full_attention_interval`, 4 if the file has
    /// none: of so many layers the last one attends. Of the layers, the last `nextn_predict_layers` predict further tokens
    /// (Gloeckle et al., "Multi-token Prediction", 2024).
    ///
    /// # Errors
    /// A key of another type or length, or implausible.
    pub fn read(keys: &Keys<'_>, h: &Hparams) -> Result<Self, GgufError> {
        const FLAGS: &str = "attention.recurrent_layers";
        let predictors = keys.optional_size("nextn_predict_layers")?.unwrap_or(0);
        if predictors >= h.layers {
            return Err(keys.implausible("nextn_predict_layers", format!("less than {} layers", h.layers)));
        }
        let recurrent = if keys.is_array(FLAGS) {
            flags(keys, FLAGS, h.layers)?
        } else {
            let interval = keys.optional_size("full_attention_interval")?.unwrap_or(4);
            (1..=h.layers).map(|layer| !layer.is_multiple_of(interval)).collect()
        };
        Ok(Self { recurrent, predictors })
    }

    /// Whether a layer, counted from 0, has recurrent state.
    pub fn is_recurrent(&self, layer: usize) -> bool {
        self.recurrent.get(layer).copied().unwrap_or(false)
    }

    /// The model without the layers that predict further tokens, whose tensors are left alone.
    pub fn without_predictors(&self, h: &Hparams, w: &Weights<'_>) -> Hparams {
        let layers = h.layers - self.predictors;
        (layers..h.layers).for_each(|layer| w.skip(format!("blk.{layer}.")));
        Hparams { layers, ..h.clone() }
    }
}
