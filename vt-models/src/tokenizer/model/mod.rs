//! The kinds of tokenizer: how a stretch of text becomes tokens.

mod bpe;
pub(super) mod byte_alphabet;
mod merge;
mod pair_hash;

use super::byte_strings::ByteStrings;
use super::error::TokenizerError;
use super::pre::PreTokenizer;
use super::vocab::{TokenType, Vocab};
pub(super) use bpe::Bpe;

/// The value of `tokenizer.ggml.model` for byte-level BPE.
const BYTE_LEVEL_BPE: &str = "gpt2";

/// One kind of tokenizer with its tables.
#[derive(Debug)]
pub(super) enum Model {
    /// Byte-level BPE.
    Bpe(Bpe),
}

impl Model {
    /// The tables of a vocabulary.
    pub(super) fn new(vocab: &Vocab, pre: &'static PreTokenizer) -> Result<Self, TokenizerError> {
        let merges = vocab.merges.as_ref().ok_or(TokenizerError::MissingMerges)?;
        Ok(Self::Bpe(Bpe::new(&vocab.tokens, merges, pre)?))
    }

    /// Appends the tokens of a text without special tokens.
    pub(super) fn encode(&self, text: &[u8], tokens: &mut Vec<u32>) {
        match self {
            Self::Bpe(bpe) => bpe.encode(text, tokens),
        }
    }
}

/// Whether a tokenizer of this name is built in.
pub(super) fn check_name(model: &str) -> Result<(), TokenizerError> {
    if model == BYTE_LEVEL_BPE {
        return Ok(());
    }
    Err(TokenizerError::UnsupportedModel { model: model.to_owned(), supported: BYTE_LEVEL_BPE.to_owned() })
}

/// What each token shows as text.
pub(super) fn pieces(tokens: &ByteStrings, types: &[TokenType]) -> Result<ByteStrings, TokenizerError> {
    let mut pieces = ByteStrings::with_capacity(tokens.len(), tokens.total_bytes());
    let mut piece = Vec::new();
    for (id, (text, kind)) in (0..).zip(tokens.iter().zip(types)) {
        piece.clear();
        match kind {
            TokenType::Control | TokenType::UserDefined | TokenType::Unknown => piece.extend_from_slice(text),
            TokenType::Normal => {
                if !byte_alphabet::append_decoded(text, &mut piece) {
                    piece.clear();
                    byte_alphabet::append_decoded_or_plain(text, &mut piece);
                }
            }
            TokenType::Byte => piece.push(parse_byte(text).ok_or(TokenizerError::BadByteToken { id })?),
            TokenType::Unused | TokenType::Undefined => {}
        }
        pieces.push(&piece);
    }
    Ok(pieces)
}

/// The byte that `<0xHH>` names.
fn parse_byte(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    match digits {
        [high, low] => Some((hex_digit(*high)? << 4) | hex_digit(*low)?),
        _ => None,
    }
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_tokens_are_parsed_strictly() {
        assert_eq!(parse_byte(b"<0x0A>"), Some(10));
        assert_eq!(parse_byte(b"<0xfF>"), Some(255));
        for bad in ["<0x>", "<0xA>", "<0x0AA>", "0x0A", "<0x+A>", "<0xGG>", ""] {
            assert_eq!(parse_byte(bad.as_bytes()), None, "{bad}");
        }
    }
}
