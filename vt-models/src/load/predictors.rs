//! Layers that follow a model's own to predict further tokens (Gloeckle et al., "Multi-token Prediction", 2024).

use vt_gguf::GgufError;

use super::{Hparams, Keys, Weights};

impl Hparams {
    /// The model without its last `nextn_predict_layers` layers, whose tensors are left alone. What a file says of each
    /// layer it says of them too, so it is read before.
    ///
    /// # Errors
    /// If the key is of another type, or the model has no other layers.
    pub fn without_predictors(self, keys: &Keys<'_>, w: &Weights<'_>) -> Result<Self, GgufError> {
        const KEY: &str = "nextn_predict_layers";
        let all = self.layers;
        let predictors = keys.optional_size(KEY)?.unwrap_or(0);
        let layers = all.checked_sub(predictors).filter(|own| *own > 0);
        let layers = layers.ok_or_else(|| keys.implausible(KEY, format!("less than {all} layers")))?;
        (layers..all).for_each(|layer| w.skip(format!("blk.{layer}.")));
        Ok(Self { layers, ..self })
    }
}
