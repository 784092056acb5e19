//! What can be wrong with a vocabulary.

use thiserror::Error;

/// Why a tokenizer could not be made, or not used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// `tokenizer.ggml.model` names a kind of tokenizer that is not built in.
    #[error("tokenizer model {model:?} is not supported; supported: {supported}")]
    UnsupportedModel {
        /// The name in the file.
        model: String,
        /// The names that are supported, comma-separated.
        supported: String,
    },
    /// `tokenizer.ggml.pre` names a pre-tokenizer that is not built in.
    #[error("pre-tokenizer {pre:?} is not supported; supported: {supported}")]
    UnsupportedPre {
        /// The name in the file.
        pre: String,
        /// The names that are supported, comma-separated.
        supported: String,
    },
    /// There are fewer token types than tokens.
    #[error("{types} token types for {tokens} tokens")]
    TooFewTypes {
        /// Entries of `tokenizer.ggml.token_type`.
        types: usize,
        /// Entries of `tokenizer.ggml.tokens`.
        tokens: usize,
    },
    /// Token ids would not fit into 32 bits.
    #[error("{count} tokens and merges are more than 32-bit ids can name")]
    TooManyTokens {
        /// Tokens and merges together.
        count: usize,
    },
    /// A special id lies outside the vocabulary.
    #[error("{name} token id {id} is out of range: the vocabulary has {tokens} tokens")]
    SpecialOutOfRange {
        /// Which special token, as in `tokenizer.ggml.<name>_token_id`.
        name: &'static str,
        /// The id in the file.
        id: u32,
        /// The size of the vocabulary.
        tokens: usize,
    },
    /// The file wants a token added to every text, but does not name it.
    #[error("the file asks for the {name} token to be added but has no {name} token id")]
    MissingSpecial {
        /// Which special token.
        name: &'static str,
    },
    /// A byte-pair vocabulary without `tokenizer.ggml.merges`.
    #[error("a byte-pair vocabulary needs merges")]
    MissingMerges,
    /// A merge is not two non-empty parts with a space between them.
    #[error("merge {index} is not two parts with a space between them")]
    BadMerge {
        /// Its place in `tokenizer.ggml.merges`.
        index: usize,
    },
    /// A SentencePiece vocabulary without `tokenizer.ggml.scores`.
    #[error("a SentencePiece vocabulary needs scores")]
    MissingScores,
    /// There are fewer scores than tokens.
    #[error("{scores} scores for {tokens} tokens")]
    TooFewScores {
        /// Entries of `tokenizer.ggml.scores`.
        scores: usize,
        /// Entries of `tokenizer.ggml.tokens`.
        tokens: usize,
    },
    /// A score that cannot be compared.
    #[error("the score of token {id} is not a number")]
    BadScore {
        /// The token.
        id: u32,
    },
    /// A token of the type "byte" whose text is not `<0xHH>`.
    #[error("byte token {id} is not of the form <0xHH>")]
    BadByteToken {
        /// The token.
        id: u32,
    },
    /// A token id that the vocabulary does not have.
    #[error("token id {id} is out of range: the vocabulary has {tokens} tokens")]
    UnknownToken {
        /// The id.
        id: u32,
        /// The size of the vocabulary.
        tokens: usize,
    },
}
