//! The vocabulary as a file states it.

use super::byte_strings::ByteStrings;
use super::error::TokenizerError;

/// What a token is, as `tokenizer.ggml.token_type` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenType {
    /// No type (0, or a number without a meaning): never shown.
    Undefined,
    /// A piece of text (1).
    #[default]
    Normal,
    /// Stands for what the vocabulary cannot express (2).
    Unknown,
    /// A mark between texts (3): recognised and shown only on request.
    Control,
    /// Added text (4): recognised in every text before anything else.
    UserDefined,
    /// A place without a meaning (5): never shown.
    Unused,
    /// One byte, written `<0xHH>` (6).
    Byte,
}

impl TokenType {
    /// The type with this number in `tokenizer.ggml.token_type`.
    pub fn from_gguf(number: i64) -> Self {
        match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => Self::Undefined,
        }
    }

    /// Whether the token is part of a text only where special tokens are asked for.
    pub(super) fn is_special(self) -> bool {
        matches!(self, Self::Control | Self::Unknown)
    }
}

/// The ids that a file gives in `tokenizer.ggml.<name>_token_id`. A SentencePiece vocabulary has `unk` 0, `bos` 1 and
/// `eos` 2 if the file says nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialIds {
    /// Beginning of a sequence.
    pub bos: Option<u32>,
    /// End of a sequence.
    pub eos: Option<u32>,
    /// Stands for what the vocabulary cannot express (`unknown_token_id`).
    pub unk: Option<u32>,
    /// End of a turn.
    pub eot: Option<u32>,
    /// End of a message.
    pub eom: Option<u32>,
    /// Fill-in-the-middle: before the text in front of the gap (older key: `prefix_token_id`).
    pub fim_pre: Option<u32>,
    /// Fill-in-the-middle: before the text behind the gap (older key: `suffix_token_id`).
    pub fim_suf: Option<u32>,
    /// Fill-in-the-middle: before the text of the gap (older key: `middle_token_id`).
    pub fim_mid: Option<u32>,
    /// Fill-in-the-middle: padding.
    pub fim_pad: Option<u32>,
    /// Fill-in-the-middle: the repository's name.
    pub fim_rep: Option<u32>,
    /// Fill-in-the-middle: between files.
    pub fim_sep: Option<u32>,
}

impl SpecialIds {
    fn named(&self) -> [(&'static str, Option<u32>); 11] {
        [
            ("bos", self.bos),
            ("eos", self.eos),
            ("unknown", self.unk),
            ("eot", self.eot),
            ("eom", self.eom),
            ("fim_pre", self.fim_pre),
            ("fim_suf", self.fim_suf),
            ("fim_mid", self.fim_mid),
            ("fim_pad", self.fim_pad),
            ("fim_rep", self.fim_rep),
            ("fim_sep", self.fim_sep),
        ]
    }
}

/// A vocabulary, filled from the keys `tokenizer.ggml.*` of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vocab {
    /// `model`: the kind of tokenizer: `gpt2` or `llama`.
    pub model: String,
    /// `pre`: the pre-tokenizer of a `gpt2` vocabulary; a file without it gets `default`.
    pub pre: Option<String>,
    /// `tokens`: each token's text, as the bytes in the file. Empty texts and repeated texts are legal.
    pub tokens: ByteStrings,
    /// `token_type`: at least one per token, or empty: then all are normal.
    pub token_types: Vec<TokenType>,
    /// `merges`: `left right`, in the order of their rank.
    pub merges: Option<ByteStrings>,
    /// `scores`: at least one per token of a `llama` vocabulary, which merges the highest first.
    pub scores: Option<Vec<f32>>,
    /// `add_space_prefix` of a `llama` vocabulary: a text starts with a space that is not written; true without it.
    pub add_space_prefix: Option<bool>,
    /// The special ids.
    pub special: SpecialIds,
    /// `add_bos_token`; without it the kind of tokenizer, or the pre-tokenizer, decides.
    pub add_bos: Option<bool>,
    /// `add_eos_token`; without it no token is added.
    pub add_eos: Option<bool>,
    /// `general.architecture`: with the name it says which special tokens take the white space beside them.
    pub architecture: Option<String>,
    /// `general.name`.
    pub name: Option<String>,
}

impl Vocab {
    /// Checks the counts and ids. Merges and names are checked by what uses them.
    pub(super) fn validate(&self) -> Result<(), TokenizerError> {
        let tokens = self.tokens.len();
        // Every merge may need names for its two parts and their whole, and one number stands for "none".
        let merges = self.merges.as_ref().map_or(0, ByteStrings::len);
        let count = tokens.saturating_add(merges.saturating_mul(3)).saturating_add(256);
        if u32::try_from(count).is_err() {
            return Err(TokenizerError::TooManyTokens { count: tokens.saturating_add(merges) });
        }
        if !self.token_types.is_empty() && self.token_types.len() < tokens {
            return Err(TokenizerError::TooFewTypes { types: self.token_types.len(), tokens });
        }
        for (name, id) in self.special.named() {
            if let Some(id) = id.filter(|&id| id as usize >= tokens) {
                return Err(TokenizerError::SpecialOutOfRange { name, id, tokens });
            }
        }
        let added = [("bos", self.add_bos, self.special.bos), ("eos", self.add_eos, self.special.eos)];
        match added.iter().find(|(_, add, id)| *add == Some(true) && id.is_none()) {
            Some(&(name, _, _)) => Err(TokenizerError::MissingSpecial { name }),
            None => Ok(()),
        }
    }
}
