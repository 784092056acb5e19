//! Special tokens of a vocabulary in texts.

use std::collections::HashMap;

use vt_models::tokenizer::{EncodeOptions, TokenType, Tokenizer};

/// The special tokens of a vocabulary by their texts.
#[derive(Debug)]
pub(super) struct Specials {
    tokens: HashMap<Vec<u8>, Special>,
    /// The lengths of the texts, the longest first.
    lengths: Vec<usize>,
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
        let mut tokens = HashMap::new();
        for id in (0..).take(tokenizer.len()) {
            let control = match tokenizer.token_type(id) {
                Some(TokenType::Control | TokenType::Unknown) => true,
                Some(TokenType::UserDefined) => false,
                _ => continue,
            };
            let text = tokenizer.piece(id, true).to_vec();
            tokens.entry(text).or_insert(Special { id, control });
        }
        tokens.remove(&[][..]);
        let mut lengths: Vec<usize> = tokens.keys().map(Vec::len).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { tokens, lengths }
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
        let found = |length: usize| Some((*self.tokens.get(text.get(..length)?)?, length));
        let mut all = self.lengths.iter().filter_map(|length| found(*length));
        all.find(|(special, _)| kind(*special)).map(|(special, length)| (special.id, length))
    }
}

fn flush(tokenizer: &Tokenizer, plain: &mut Vec<u8>, tokens: &mut Vec<u32>) {
    if !plain.is_empty() {
        tokens.extend(tokenizer.encode(&*plain, EncodeOptions::default()));
        plain.clear();
    }
}
