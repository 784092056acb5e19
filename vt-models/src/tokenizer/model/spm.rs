//! SentencePiece's byte-pair tokenizer (`tokenizer.ggml.model` = `llama`).
//!
//! A text is cut into characters, and adjacent pieces that together are a token are merged, that with the highest score
//! first, the leftmost among equals. A character that is in no token is written in byte tokens, `<0xHH>`. (Kudo,
//! Richardson: SentencePiece, 2018.) The rules are those of llama.cpp: any type of token may come of merging, there is
//! no normalization, and `remove_extra_whitespaces` has no effect.
//!
//! Vocabularies write a space as `▁` (U+2581). Here both texts and tokens have spaces instead: a `▁` in a text is
//! a space, and a token that is written with a real space comes of no merge.

use std::ops::Range;

use super::super::byte_strings::ByteStrings;
use super::super::error::TokenizerError;
use super::super::text_index::TextIndex;
use super::super::vocab::Vocab;
use super::joints::Joints;
use super::merge::{MAX_WORD, Merge, Merger, Merges};
use super::space;

/// The symbol of a character before it is merged.
const CHARACTER: u32 = u32::MAX;

/// The tables of a SentencePiece vocabulary.
#[derive(Debug)]
pub(in super::super) struct Spm {
    /// Each token's text; empty if no merge leads to it.
    texts: ByteStrings,
    index: TextIndex,
    joints: Joints,
    /// Each token's place in the order of merging.
    ranks: Vec<u32>,
    /// The bytes of the longest token.
    longest: usize,
    /// The token of each single byte.
    bytes: [Option<u32>; 256],
    unknown: Option<u32>,
    /// Whether a text starts with a space that is not written.
    pub(in super::super) adds_space: bool,
}

impl Spm {
    /// Builds the tables.
    ///
    /// # Errors
    /// If scores are missing, too few, or not a number.
    pub(super) fn new(vocab: &Vocab) -> Result<Self, TokenizerError> {
        let ranks = ranks(vocab)?;
        let (texts, index) = index(&vocab.tokens);
        let token = |text: &[u8]| index.get(&texts, text);
        let bytes =
            std::array::from_fn(|byte| token(format!("<0x{byte:02X}>").as_bytes()).or_else(|| token(&[byte as u8])));
        let longest = texts.iter().map(<[u8]>::len).max().unwrap_or(0);
        let adds_space = vocab.add_space_prefix.unwrap_or(true);
        Ok(Self {
            ranks,
            longest,
            bytes,
            unknown: vocab.special.unk,
            adds_space,
            joints: Joints::new(&texts),
            texts,
            index,
        })
    }

    /// Appends the tokens of `text`; `starts` where nothing or a special token is before it.
    pub(super) fn encode(&self, text: &[u8], starts: bool, tokens: &mut Vec<u32>) {
        let mut spaced = Vec::with_capacity(text.len() + 1);
        if starts && self.adds_space {
            spaced.push(b' ');
        }
        space::append_unescaped(text, &mut spaced);
        let mut merger = Merger::default();
        let mut rest = &spaced[..];
        while !rest.is_empty() {
            let (text, after) = rest.split_at(self.word_length(rest));
            let merges = Pieces { spm: self, text };
            merger.merge(&merges, Characters(text), |symbol, bytes| match symbol {
                CHARACTER => self.append_character(&text[bytes], tokens),
                token => tokens.push(token),
            });
            rest = after;
        }
    }

    /// The bytes of the characters at the front of `text` that have to be merged together.
    fn word_length(&self, text: &[u8]) -> usize {
        let mut end = 0;
        for (_, length) in Characters(text) {
            if end > 0 && (end + length > MAX_WORD || !self.joints.contains(text[end - 1], text[end])) {
                break;
            }
            end += length;
        }
        end
    }

    /// A character that was not merged: its token, or its bytes, or the unknown token, or nothing.
    fn append_character(&self, character: &[u8], tokens: &mut Vec<u32>) {
        if let Some(token) = self.index.get(&self.texts, character) {
            return tokens.push(token);
        }
        let bytes = if character == b" " { space::ESCAPE } else { character };
        let found = || bytes.iter().map(|&byte| self.bytes[usize::from(byte)]);
        if found().all(|token| token.is_some()) {
            tokens.extend(found().flatten());
        } else {
            tokens.extend(self.unknown);
        }
    }
}

/// The places of tokens in the order of merging: the higher the score, the lower.
fn ranks(vocab: &Vocab) -> Result<Vec<u32>, TokenizerError> {
    let tokens = vocab.tokens.len();
    let scores = vocab.scores.as_ref().ok_or(TokenizerError::MissingScores)?;
    let scores = scores.get(..tokens).ok_or(TokenizerError::TooFewScores { scores: scores.len(), tokens })?;
    (0..).zip(scores).map(|(id, &score)| rank(score).ok_or(TokenizerError::BadScore { id })).collect()
}

/// A number that falls as the score rises, the same for both zeros; none for a NaN.
fn rank(score: f32) -> Option<u32> {
    let bits = (score + 0.0).to_bits();
    let rising = if score < 0.0 { !bits } else { bits | 1 << 31 };
    (!score.is_nan()).then_some(!rising)
}

/// The tokens' texts with spaces, and the index of those that merges lead to.
fn index(tokens: &ByteStrings) -> (ByteStrings, TextIndex) {
    let mut texts = ByteStrings::with_capacity(tokens.len(), tokens.total_bytes());
    let mut index = TextIndex::with_capacity(tokens.len());
    let mut text = Vec::new();
    for (id, token) in (0..).zip(tokens.iter()) {
        text.clear();
        space::append_unescaped(token, &mut text);
        let findable = !token.is_empty() && !token.contains(&b' ') && index.get_or_insert(&texts, &text, id) == id;
        texts.push(if findable { &text } else { &[] });
    }
    (texts, index)
}

/// The characters of a text as symbols with their lengths. A first byte says how many bytes a character has, and takes
/// them whatever they are, as far as the text goes; but a space is always a character of its own.
struct Characters<'t>(&'t [u8]);

impl Iterator for Characters<'_> {
    type Item = (u32, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = self.0.split_first()?;
        let more = match first {
            0xF0.. => 3,
            0xE0.. => 2,
            0xC0.. => 1,
            _ => 0,
        };
        let length = 1 + rest.iter().take(more).take_while(|&&byte| byte != b' ').count();
        self.0 = &self.0[length..];
        Some((CHARACTER, length))
    }
}

/// The merges of a text: those whose whole is a token.
struct Pieces<'a> {
    spm: &'a Spm,
    text: &'a [u8],
}

impl Merges for Pieces<'_> {
    fn find(&self, _: u32, _: u32, bytes: Range<usize>) -> Option<Merge> {
        if bytes.len() > self.spm.longest {
            return None;
        }
        let whole = self.spm.index.get(&self.spm.texts, &self.text[bytes])?;
        Some(Merge { rank: self.spm.ranks[whole as usize], whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_fall_as_scores_rise() {
        let scores = [f32::INFINITY, 1e30, 1.0, f32::MIN_POSITIVE, 1e-40, 0.0, -1e-40, -1.0, -1e30, f32::NEG_INFINITY];
        let ranks = scores.map(|score| rank(score).unwrap());
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
        assert_eq!(rank(-0.0), rank(0.0));
        assert_eq!((rank(f32::NAN), rank(-f32::NAN)), (None, None));
    }

    #[test]
    fn broken_characters_end_at_a_space_or_with_the_text() {
        let lengths = |text: &[u8]| Characters(text).map(|(_, length)| length).collect::<Vec<_>>();
        assert_eq!(lengths("aé字😀 ".as_bytes()), [1, 2, 3, 4, 1]);
        assert_eq!(lengths(b"\xe5ab\xe5a b\x80\xbf"), [3, 2, 1, 1, 1, 1]);
        assert_eq!(lengths(b"\xff\xff\xff\xff\xf0 \xc3"), [4, 1, 1, 1]);
        assert_eq!(lengths(b""), [0; 0]);
    }
}
