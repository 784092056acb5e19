//! What can go wrong in sampling.

use thiserror::Error;

/// Why a sampler could not be made, or could not choose.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A setting out of its range.
    #[error("{name} must be {range}, not {value}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it was set to.
        value: f32,
        /// What it may be.
        range: &'static str,
    },
    /// A bias for a token that the vocabulary does not have.
    #[error("logit-bias names token {token}: the vocabulary has {vocab_size} tokens")]
    BiasToken {
        /// The token.
        token: u32,
        /// The vocabulary's size.
        vocab_size: usize,
    },
    /// A vocabulary size without tokens, or with more than 32-bit ids can name.
    #[error("cannot sample from a vocabulary of {size} tokens")]
    VocabularySize {
        /// The size.
        size: usize,
    },
    /// Not one logit per token.
    #[error("{got} logits for a vocabulary of {expected} tokens")]
    LogitCount {
        /// Logits given.
        got: usize,
        /// The vocabulary's size.
        expected: usize,
    },
    /// A logit that is NaN or plus infinity.
    #[error("the logit of token {token} is {value}")]
    BadLogit {
        /// The token.
        token: u32,
        /// Its logit.
        value: f32,
    },
    /// Every logit is minus infinity.
    #[error("every token is excluded: all logits are minus infinity")]
    NothingToSample,
}

/// The value of a setting, if it is valid.
pub(super) fn setting(
    name: &'static str,
    value: f32,
    range: &'static str,
    valid: impl FnOnce(f32) -> bool,
) -> Result<f32, SampleError> {
    if valid(value) { Ok(value) } else { Err(SampleError::Setting { name, value, range }) }
}
