//! The numbers that every model has.

use vt_gguf::{GgufError, Strings};

use super::Keys;

/// What `{arch}.*` says of any decoder, checked for plausibility. What only some have, the parts read for themselves
/// ([`AttentionSpec::read`](crate::blocks::AttentionSpec::read), [`Windows::read`](super::Windows::read)), or the
/// architecture does, through [`Keys`].
#[derive(Clone, Debug, PartialEq)]
pub struct Hparams {
    /// Tokens in the vocabulary.
    pub vocab: usize,
    /// The longest context that the model was made for, in tokens.
    pub context: usize,
    /// Elements of a token's vector.
    pub dim: usize,
    /// Layers.
    pub layers: usize,
    /// The epsilon of the norms.
    pub eps: f32,
}

const MAX_LAYERS: usize = 512;

impl Hparams {
    /// Reads the keys `block_count`, `context_length`, `embedding_length` and
    /// `attention.layer_norm_rms_epsilon`, and the size of the vocabulary.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(keys: &Keys<'_>) -> Result<Self, GgufError> {
        let layers = keys.required::<usize>("block_count")?;
        if !(1..=MAX_LAYERS).contains(&layers) {
            return Err(keys.implausible("block_count", format!("1 to {MAX_LAYERS} layers")));
        }
        Ok(Self {
            vocab: vocabulary(keys)?,
            context: keys.size("context_length")?,
            dim: keys.size("embedding_length")?,
            layers,
            eps: keys.float("attention.layer_norm_rms_epsilon")?,
        })
    }
}

/// The file's tokens; a file without them says how many there are, or its embedding table does.
fn vocabulary(keys: &Keys<'_>) -> Result<usize, GgufError> {
    if let Some(tokens) = keys.gguf.metadata().optional::<Strings<'_>>("tokenizer.ggml.tokens")? {
        return Ok(tokens.count());
    }
    if let Some(vocab) = keys.optional_size("vocab_size")? {
        return Ok(vocab);
    }
    let table = keys.gguf.info("token_embd.weight").and_then(|t| t.shape().first().copied());
    table.ok_or_else(|| keys.implausible("vocab_size", "the number of tokens"))
}
