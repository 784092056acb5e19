//! Special tokens of a vocabulary in texts.

use vt_models::tokenizer::{EncodeOptions, MAX_SPECIAL_BYTES, TokenType, Tokenizer, longest_prefix};

/// The special tokens of a vocabulary by their texts.
#[derive(Debug)]
pub(super) struct Specials {
    /// In the order of the texts, none of which is empty.
    sorted: Vec<(Vec<u8>, Special)>,
}

#[derive(Clone, Copy, Debug)]
struct Special {
    id: u32,
    /// Whether it is a mark between texts, and not just an added piece of text.
    control: bool,
}

impl Specials {
    /// Those of a tokenizer.
    pub fn new(tokenizer: &Tokenizer) -> Self {
        let mut sorted: Vec<(Vec<u8>, Special)> = Vec::new();
        for id in (0..).take(tokenizer.len()) {
            let control = match tokenizer.token_type(id) {
                Some(TokenType::Control | TokenType::Unknown) => true,
                Some(TokenType::UserDefined) => false,
                _ => continue,
            };
            let text = tokenizer.piece(id, true);
            if (1..=MAX_SPECIAL_BYTES).contains(&text.len()) {
                sorted.push((text.to_vec(), Special { id, control }));
            }
        }
        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
        sorted.dedup_by(|(later, _), (first, _)| later == first);
        Self { sorted }
    }

    /// Text in which no control token starts but behind `mark`.
    pub fn marked(&self, text: &str, mark: char) -> String {
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            if self.longest(&text.as_bytes()[at..], |special| special.control).is_some() {
                out.push(mark);
            }
            out.push(c);
        }
        out
    }

    /// The tokens of a text: special ones are recognised, but no control tokens behind `mark`, which is left out.
    pub fn encode(&self, tokenizer: &Tokenizer, text: &str, mark: char) -> Vec<u32> {
        let mut tokens = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text.as_bytes();
        let mut mark_bytes = [0; 4];
        let mark = mark.encode_utf8(&mut mark_bytes).as_bytes();
        while !rest.is_empty() {
            let behind = rest.strip_prefix(mark);
            rest = behind.unwrap_or(rest);
            match self.longest(rest, |special| behind.is_none() || !special.control) {
                Some((id, length)) => {
                    flush(tokenizer, &mut plain, &mut tokens);
                    tokens.push(id);
                    rest = &rest[length..];
                }
                None => {
                    let (first, others) = rest.split_at(rest.len().min(1));
                    plain.extend_from_slice(first);
                    rest = others;
                }
            }
        }
        flush(tokenizer, &mut plain, &mut tokens);
        tokens
    }

    /// The longest token of the kind that the text starts with, and its length.
    fn longest(&self, text: &[u8], kind: impl Fn(Special) -> bool) -> Option<(u32, usize)> {
        let byte = |(text, _): &(Vec<u8>, Special), at: usize| text.get(at).copied();
        let found = longest_prefix(&self.sorted, text, byte, |(_, special)| kind(*special));
        found.map(|((_, special), length)| (special.id, length))
    }
}

fn flush(tokenizer: &Tokenizer, plain: &mut Vec<u8>, tokens: &mut Vec<u32>) {
    if !plain.is_empty() {
        tokens.extend(tokenizer.encode(&*plain, EncodeOptions::default()));
        plain.clear();
    }
}
