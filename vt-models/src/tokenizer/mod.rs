//! Tokenizers: text to token ids and back.
//!
//! [`Vocab`] is a vocabulary as a GGUF file states it, [`Tokenizer`] works with it, [`TextStream`] shows text as
//! tokens come. Supported is byte-level BPE (`tokenizer.ggml.model` = `gpt2`). llama.cpp is the reference: the ids are
//! the same, and so is what is special. Unlike there, bytes that are not UTF-8 survive, and where special tokens
//! overlap the leftmost wins (there, the longest of the whole text).

mod byte_strings;
mod error;
mod model;
mod pre;
mod roles;
mod special;
mod stream;
#[cfg(test)]
mod tests;
mod text_index;
mod vocab;

pub use byte_strings::ByteStrings;
pub use error::TokenizerError;
pub use stream::TextStream;
pub use vocab::{SpecialIds, TokenType, Vocab};

use model::Model;
use pre::PreTokenizer;
use special::{Fragment, SpecialMatcher};

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncodeOptions {
    /// Add what the file's own rule adds: BOS in front, EOS behind.
    pub add_bos: bool,
    /// Recognise control tokens written in the text; otherwise they are plain text.
    pub special: bool,
}

/// A tokenizer with its vocabulary.
#[derive(Debug)]
pub struct Tokenizer {
    model: Model,
    pre: &'static PreTokenizer,
    assumes_pre: bool,
    types: Vec<TokenType>,
    pieces: ByteStrings,
    user_defined: SpecialMatcher,
    all_special: SpecialMatcher,
    end_of_generation: Vec<u32>,
    bos: Option<u32>,
    eos: Option<u32>,
    adds_bos: bool,
    adds_eos: bool,
}

impl Tokenizer {
    /// Makes a tokenizer.
    ///
    /// # Errors
    /// An unsupported model or pre-tokenizer, and whatever in the vocabulary contradicts itself: see
    /// [`TokenizerError`].
    pub fn new(mut vocab: Vocab) -> Result<Self, TokenizerError> {
        model::check_name(&vocab.model)?;
        let pre = PreTokenizer::by_name(vocab.pre.as_deref().unwrap_or(pre::DEFAULT))?;
        vocab.validate()?;
        let mut types = std::mem::take(&mut vocab.token_types);
        types.resize(vocab.tokens.len(), TokenType::Normal);
        let end_of_generation = roles::assign(&vocab.tokens, &vocab.special, &mut types);
        let pieces = model::pieces(&vocab.tokens, &types)?;
        let is_user_defined = |kind| kind == TokenType::UserDefined;
        Ok(Self {
            model: Model::new(&vocab, pre)?,
            pre,
            assumes_pre: vocab.pre.is_none(),
            user_defined: SpecialMatcher::new(&pieces, &types, is_user_defined),
            all_special: SpecialMatcher::new(&pieces, &types, |kind| is_user_defined(kind) || kind.is_special()),
            types,
            pieces,
            end_of_generation,
            bos: vocab.special.bos,
            eos: vocab.special.eos,
            adds_bos: vocab.add_bos.unwrap_or(pre.add_bos) && vocab.special.bos.is_some(),
            adds_eos: vocab.add_eos.unwrap_or(false) && vocab.special.eos.is_some(),
        })
    }

    /// The token ids of `text`, which need not be UTF-8.
    pub fn encode(&self, text: impl AsRef<[u8]>, options: EncodeOptions) -> Vec<u32> {
        let mut tokens = Vec::new();
        tokens.extend(self.bos.filter(|_| options.add_bos && self.adds_bos));
        let matcher = if options.special { &self.all_special } else { &self.user_defined };
        matcher.split(&self.pieces, text.as_ref(), |fragment| match fragment {
            Fragment::Text(text) => self.model.encode(text, &mut tokens),
            Fragment::Token(id) => tokens.push(id),
        });
        tokens.extend(self.eos.filter(|_| options.add_bos && self.adds_eos));
        tokens
    }

    /// The bytes of `tokens`; with `special` those of control tokens, too.
    ///
    /// # Errors
    /// A token id that the vocabulary does not have.
    pub fn decode(&self, tokens: &[u32], special: bool) -> Result<Vec<u8>, TokenizerError> {
        let mut bytes = Vec::new();
        for &id in tokens {
            if id as usize >= self.len() {
                return Err(TokenizerError::UnknownToken { id, tokens: self.len() });
            }
            bytes.extend_from_slice(self.piece(id, special));
        }
        Ok(bytes)
    }

    /// The bytes of one token; empty for a control token without `special`, and for an id out of range.
    pub fn piece(&self, id: u32, special: bool) -> &[u8] {
        let hidden = !special && self.token_type(id).is_none_or(TokenType::is_special);
        if hidden { &[] } else { self.pieces.get(id as usize).unwrap_or_default() }
    }

    /// Whether the token ends an answer: the file's own end tokens, and those that are known by their text.
    pub fn is_end_of_generation(&self, id: u32) -> bool {
        self.end_of_generation.binary_search(&id).is_ok()
    }

    /// The type of a token; control tokens with a well-known text count as such whatever the file says.
    pub fn token_type(&self, id: u32) -> Option<TokenType> {
        self.types.get(id as usize).copied()
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether the vocabulary has no tokens.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The token at the beginning of a sequence.
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The token at the end of a sequence.
    pub fn eos(&self) -> Option<u32> {
        self.eos
    }

    /// Whether the file's rule puts BOS in front of a text.
    pub fn adds_bos(&self) -> bool {
        self.adds_bos
    }

    /// The pre-tokenizer's name; of several names for the same one, the first.
    pub fn pre_name(&self) -> &'static str {
        self.pre.name()
    }

    /// Whether the file names no pre-tokenizer, so that `default` is used: a reason to warn, because texts may be cut
    /// otherwise than in training.
    pub fn assumes_pre(&self) -> bool {
        self.assumes_pre
    }
}
