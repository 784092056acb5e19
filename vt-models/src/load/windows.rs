//! Which layers see all keys, and which only the last ones.

use vt_gguf::{Array, GgufError};

use super::Keys;

/// The sliding windows of a model (Beltagy et al., Longformer, 2020).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// How many keys a query of a local layer sees, its own included.
    pub size: usize,
    local: Vec<bool>,
}

impl Windows {
    /// Reads `attention.sliding_window`, and `attention.sliding_window_pattern`: whether each layer is local, or a
    /// period, `period` if the file has none. Of each period the last layer sees all keys. A file without a window has
    /// no local layers.
    ///
    /// # Errors
    /// A key of another type or length.
    pub fn read(keys: &Keys<'_>, layers: usize, period: usize) -> Result<Self, GgufError> {
        match keys.optional_size("attention.sliding_window")? {
            Some(size) => Self::of_size(size, keys, layers, period),
            None => Ok(Self { size: 0, local: vec![false; layers] }),
        }
    }

    /// As [`Windows::read`], of a model that has windows of `size` if the file does not say.
    ///
    /// # Errors
    /// As [`Windows::read`].
    pub fn read_or(size: usize, keys: &Keys<'_>, layers: usize, period: usize) -> Result<Self, GgufError> {
        Self::of_size(keys.optional_size("attention.sliding_window")?.unwrap_or(size), keys, layers, period)
    }

    fn of_size(size: usize, keys: &Keys<'_>, layers: usize, period: usize) -> Result<Self, GgufError> {
        const PATTERN: &str = "attention.sliding_window_pattern";
        let local = if keys.is_array(PATTERN) {
            flags(keys, PATTERN, layers)?
        } else {
            let period = keys.optional::<usize>(PATTERN)?.unwrap_or(period);
            (0..layers).map(|layer| period == 0 || layer % period + 1 < period).collect()
        };
        Ok(Self { size, local })
    }

    /// Whether a layer, counted from 0, sees only the window.
    pub fn is_local(&self, layer: usize) -> bool {
        self.local.get(layer).copied().unwrap_or(false)
    }
}

/// A flag for each layer: bools, or numbers that are not 0.
pub(super) fn flags(keys: &Keys<'_>, key: &str, layers: usize) -> Result<Vec<bool>, GgufError> {
    let flag = |value: vt_gguf::Value<'_>| match value {
        vt_gguf::Value::Bool(flag) => Some(flag),
        other => other.as_int().map(|n| n != 0),
    };
    let array = keys.optional::<Array<'_>>(key)?.filter(|array| array.len() == layers);
    let flags: Option<Vec<bool>> = array.and_then(|array| array.iter().map(flag).collect());
    flags.ok_or_else(|| keys.implausible(key, format!("a flag for each of {layers} layers")))
}
