//! Tokenizers: text to token ids and back.
//!
//! [`Vocab`] is a vocabulary as a GGUF file states it, [`Tokenizer`] works with it, [`TextStream`] shows text as
//! tokens come. Two kinds (`tokenizer.ggml.model`) are supported: byte-level BPE (`gpt2`) and SentencePiece's BPE with
//! scores (`llama`). llama.cpp is the reference: the ids are the same, and so is what is special. The differences:
//!
//! - Bytes that are not UTF-8 survive. In a SentencePiece text a broken character ends before a space, where llama.cpp
//!   takes part of the space's `▁` into it.
//! - Where special tokens overlap in a text, the leftmost wins; there, the longest of the whole text.
//! - Special tokens whose text is longer than [`MAX_SPECIAL_BYTES`] are not looked for.
//! - A byte without a token becomes the unknown token, or is left out where there is none; llama.cpp fails, or leaves
//!   it out.
//! - A token whose text is empty shows nothing (there, `[EMPTY_` and its id).
//! - No spaces are taken out of the text of tokens (there, of some byte-level vocabularies, before `.` and the like).

mod byte_strings;
mod error;
mod model;
mod pre;
mod prefix;
mod roles;
mod special;
mod stream;
mod strip;
#[cfg(test)]
mod tests;
mod text_index;
mod vocab;

pub use byte_strings::ByteStrings;
pub use error::TokenizerError;
pub use prefix::longest_prefix;
pub use special::MAX_SPECIAL_BYTES;
pub use stream::TextStream;
pub use vocab::{SpecialIds, TokenType, Vocab};

use model::{Kind, Model};
use special::{Fragment, SpecialMatcher};
use strip::Strip;

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
    assumes_pre: bool,
    types: Vec<TokenType>,
    pieces: ByteStrings,
    user_defined: SpecialMatcher,
    all_special: SpecialMatcher,
    strip: Strip,
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
        let kind = Kind::by_name(&vocab.model)?;
        kind.complete(&mut vocab.special, vocab.tokens.len());
        vocab.validate()?;
        let mut types = std::mem::take(&mut vocab.token_types);
        types.resize(vocab.tokens.len(), TokenType::Normal);
        let end_of_generation = roles::assign(&vocab.tokens, &vocab.special, &mut types);
        let pieces = kind.pieces(&vocab.tokens, &types)?;
        let model = Model::new(kind, &vocab)?;
        let is_user_defined = |kind| kind == TokenType::UserDefined;
        Ok(Self {
            assumes_pre: model.pre().is_some() && vocab.pre.is_none(),
            user_defined: SpecialMatcher::new(&pieces, &types, is_user_defined),
            all_special: SpecialMatcher::new(&pieces, &types, |kind| is_user_defined(kind) || kind.is_special()),
            strip: Strip::new(&vocab, &types),
            types,
            pieces,
            end_of_generation,
            bos: vocab.special.bos,
            eos: vocab.special.eos,
            adds_bos: vocab.add_bos.unwrap_or(model.adds_bos()) && vocab.special.bos.is_some(),
            adds_eos: vocab.add_eos.unwrap_or(false) && vocab.special.eos.is_some(),
            model,
        })
    }

    /// The token ids of `text`, which need not be UTF-8.
    pub fn encode(&self, text: impl AsRef<[u8]>, options: EncodeOptions) -> Vec<u32> {
        let mut tokens = Vec::new();
        tokens.extend(self.bos.filter(|_| options.add_bos && self.adds_bos));
        let matcher = if options.special { &self.all_special } else { &self.user_defined };
        let mut starts = true;
        matcher.split(&self.pieces, &self.strip, text.as_ref(), |fragment| {
            match fragment {
                Fragment::Text(text) => self.model.encode(text, starts, &mut tokens),
                Fragment::Token(id) => tokens.push(id),
            }
            starts = matches!(fragment, Fragment::Token(_));
        });
        tokens.extend(self.eos.filter(|_| options.add_bos && self.adds_eos));
        tokens
    }

    /// The bytes of `tokens`, a text of their own; with `special` those of control tokens, too.
    ///
    /// Where [`Tokenizer::encode`] starts a text with a space that is not written, the first token is shown without
    /// it. Only the first: behind a BOS token, or in the middle of a text, the space is shown, as llama.cpp does.
    /// So what was encoded without BOS and without special or user-defined tokens comes back byte for byte, except that
    /// a SentencePiece vocabulary knows `▁` (U+2581) only as its space.
    ///
    /// # Errors
    /// A token id that the vocabulary does not have.
    pub fn decode(&self, tokens: &[u32], special: bool) -> Result<Vec<u8>, TokenizerError> {
        let mut bytes = Vec::new();
        let mut starts = self.model.adds_space();
        for &id in tokens {
            if id as usize >= self.len() {
                return Err(TokenizerError::UnknownToken { id, tokens: self.len() });
            }
            let piece = self.piece(id, special);
            let shown = if starts { piece.strip_prefix(b" ").unwrap_or(piece) } else { piece };
            bytes.extend_from_slice(shown);
            starts = false;
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

    /// The pre-tokenizer's name, if the kind of tokenizer has one; of several names for the same one, the first.
    pub fn pre_name(&self) -> Option<&'static str> {
        self.model.pre().map(|pre| pre.name())
    }

    /// Whether the file names no pre-tokenizer where one is needed, so that `default` is used: a reason to warn, because
    /// texts may be cut otherwise than in training.
    pub fn assumes_pre(&self) -> bool {
        self.assumes_pre
    }
}
