//! Cutting a text into words, before the model sees them.
//!
//! A pre-tokenizer is a list of passes. The first cuts the text, each following one cuts the pieces of the one before
//! it as if each piece were a text of its own. A pass is a regular expression written out by hand, so that no
//! expression can backtrack; its file states the expression. The expressions and the names are those of llama.cpp
//! and of the `tokenizer.json` files they come from. Where llama.cpp's result is not that of the stated expression, its
//! result counts, and the file says so.

mod bloom;
mod chars;
mod deepseek;
mod deepseek3;
mod deepseek_letters;
mod default;
mod falcon;
mod gpt2;
mod gpt4o;
mod llama3;
mod minicpm5;
mod pass;
mod qwen2;
mod qwen35;
mod smollm;
mod table;
#[cfg(test)]
mod vectors;

use super::error::TokenizerError;
use pass::{Pass, run_passes};
use table::PRE_TOKENIZERS;

/// How a vocabulary's texts are cut, and what its name implies.
#[derive(Debug)]
pub(super) struct PreTokenizer {
    /// The names in `tokenizer.ggml.pre` that mean this one; the first is its own.
    names: &'static [&'static str],
    passes: &'static [Pass],
    /// A word that is a token as it stands is not built from merges.
    pub(super) ignore_merges: bool,
    /// Whether a text starts with the BOS token if the file does not say.
    pub(super) add_bos: bool,
}

/// What a file without `tokenizer.ggml.pre` gets.
pub(super) const DEFAULT: &str = "default";

impl PreTokenizer {
    /// The pre-tokenizer of this name.
    ///
    /// # Errors
    /// An unknown name; the error lists those that are known.
    pub(super) fn by_name(name: &str) -> Result<&'static Self, TokenizerError> {
        PRE_TOKENIZERS.iter().find(|pre| pre.names.contains(&name)).ok_or_else(|| TokenizerError::UnsupportedPre {
            pre: name.to_owned(),
            supported: PRE_TOKENIZERS.iter().flat_map(|pre| pre.names).copied().collect::<Vec<_>>().join(", "),
        })
    }

    /// Its own name.
    pub(super) fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Calls `word` with the words of `text` in order; together they are the text.
    pub(super) fn split<'t>(&self, text: &'t [u8], word: &mut dyn FnMut(&'t [u8])) {
        run_passes(self.passes, text, word);
    }
}
