//! The kinds of tokenizer: how a stretch of text becomes tokens.

mod bpe;
pub(super) mod byte_alphabet;
mod joints;
mod kind;
mod merge;
mod pair_hash;
mod space;
mod spm;

use super::error::TokenizerError;
use super::pre::{self, PreTokenizer};
use super::vocab::Vocab;
use bpe::Bpe;
pub(super) use kind::Kind;
use spm::Spm;

/// One kind of tokenizer with its tables.
#[derive(Debug)]
pub(super) enum Model {
    /// Byte-level BPE.
    Bpe(Box<Bpe>),
    /// SentencePiece's BPE.
    Spm(Box<Spm>),
}

impl Model {
    /// The tables of a vocabulary.
    pub(super) fn new(kind: Kind, vocab: &Vocab) -> Result<Self, TokenizerError> {
        match kind {
            Kind::ByteLevelBpe => {
                let pre = PreTokenizer::by_name(vocab.pre.as_deref().unwrap_or(pre::DEFAULT))?;
                let merges = vocab.merges.as_ref().ok_or(TokenizerError::MissingMerges)?;
                Ok(Self::Bpe(Box::new(Bpe::new(&vocab.tokens, merges, pre)?)))
            }
            Kind::SentencePiece => Ok(Self::Spm(Box::new(Spm::new(vocab)?))),
        }
    }

    /// Appends the tokens of a text without special tokens; `starts` where nothing or a special token is before it.
    pub(super) fn encode(&self, text: &[u8], starts: bool, tokens: &mut Vec<u32>) {
        match self {
            Self::Bpe(bpe) => bpe.encode(text, tokens),
            Self::Spm(spm) => spm.encode(text, starts, tokens),
        }
    }

    /// Whether a text starts with a space that is not written.
    pub(super) fn adds_space(&self) -> bool {
        match self {
            Self::Bpe(_) => false,
            Self::Spm(spm) => spm.adds_space,
        }
    }

    /// Whether a text starts with the BOS token if the file does not say.
    pub(super) fn adds_bos(&self) -> bool {
        self.pre().is_none_or(|pre| pre.add_bos)
    }

    /// What cuts texts into words, if anything does.
    pub(super) fn pre(&self) -> Option<&'static PreTokenizer> {
        match self {
            Self::Bpe(bpe) => Some(bpe.pre),
            Self::Spm(_) => None,
        }
    }
}
