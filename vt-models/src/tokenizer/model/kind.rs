//! What a vocabulary's `tokenizer.ggml.model` says about it.

use super::super::byte_strings::ByteStrings;
use super::super::error::TokenizerError;
use super::super::vocab::{SpecialIds, TokenType};
use super::{byte_alphabet, space};

/// A kind of tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// Byte-level BPE.
    ByteLevelBpe,
    /// SentencePiece's BPE.
    SentencePiece,
}

/// The kinds that are built in, by name.
const KINDS: [(&str, Kind); 2] = [("gpt2", Kind::ByteLevelBpe), ("llama", Kind::SentencePiece)];

impl Kind {
    /// The kind of this name.
    ///
    /// # Errors
    /// If none of this name is built in.
    pub(in super::super) fn by_name(model: &str) -> Result<Self, TokenizerError> {
        let found = KINDS.iter().find(|(name, _)| *name == model);
        found.map(|&(_, kind)| kind).ok_or_else(|| TokenizerError::UnsupportedModel {
            model: model.to_owned(),
            supported: KINDS.map(|(name, _)| name).join(", "),
        })
    }

    /// Fills in the ids that a file of this kind need not give, of those that a vocabulary of `tokens` tokens has.
    pub(in super::super) fn complete(self, special: &mut SpecialIds, tokens: usize) {
        if self == Self::SentencePiece {
            let known = |id: u32| Some(id).filter(|&id| (id as usize) < tokens);
            special.unk = special.unk.or(known(0));
            special.bos = special.bos.or(known(1));
            special.eos = special.eos.or(known(2));
        }
    }

    /// What each token shows as text.
    pub(in super::super) fn pieces(
        self,
        tokens: &ByteStrings,
        types: &[TokenType],
    ) -> Result<ByteStrings, TokenizerError> {
        let mut pieces = ByteStrings::with_capacity(tokens.len(), tokens.total_bytes());
        let mut piece = Vec::new();
        for (id, (text, kind)) in (0..).zip(tokens.iter().zip(types)) {
            piece.clear();
            match kind {
                TokenType::Control | TokenType::UserDefined | TokenType::Unknown => piece.extend_from_slice(text),
                TokenType::Normal => self.append_normal(text, &mut piece),
                TokenType::Byte => piece.push(parse_byte(text).ok_or(TokenizerError::BadByteToken { id })?),
                TokenType::Unused | TokenType::Undefined => {}
            }
            pieces.push(&piece);
        }
        Ok(pieces)
    }

    /// Appends what a normal token shows.
    fn append_normal(self, text: &[u8], piece: &mut Vec<u8>) {
        match self {
            Self::ByteLevelBpe => {
                if !byte_alphabet::append_decoded(text, piece) {
                    piece.clear();
                    byte_alphabet::append_decoded_or_plain(text, piece);
                }
            }
            Self::SentencePiece => space::append_unescaped(text, piece),
        }
    }
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
