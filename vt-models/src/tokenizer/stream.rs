//! Text from tokens as they come.

use super::Tokenizer;

/// Turns tokens into text one at a time. A character whose bytes are spread over tokens appears with the last of
/// them. Bytes that are not UTF-8 appear as U+FFFD, just as in [`String::from_utf8_lossy`] of all bytes together.
///
/// The tokens continue a text: a space that the first of them starts with is shown, other than in
/// [`Tokenizer::decode`].
#[derive(Debug, Clone, Default)]
pub struct TextStream {
    special: bool,
    pending: Vec<u8>,
    ready: String,
}

impl TextStream {
    /// An empty stream; with `special` control tokens are part of the text.
    pub fn new(special: bool) -> Self {
        Self { special, ..Self::default() }
    }

    /// Adds a token and returns the text that is complete by now and was not returned before.
    /// A token id that the vocabulary does not have adds nothing.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: u32) -> &str {
        self.pending.extend_from_slice(tokenizer.piece(token, self.special));
        self.take(false)
    }

    /// Ends the text and returns what is left; an unfinished character becomes U+FFFD. The stream is empty after it.
    pub fn flush(&mut self) -> &str {
        self.take(true)
    }

    /// Moves what is complete, or at the end everything, from the pending bytes to the text.
    fn take(&mut self, at_end: bool) -> &str {
        self.ready.clear();
        let complete = if at_end { self.pending.len() } else { complete_length(&self.pending) };
        for chunk in self.pending[..complete].utf8_chunks() {
            self.ready.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                self.ready.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.pending.drain(..complete);
        &self.ready
    }
}

/// How many bytes are left if a character that may still be finished is taken off the end.
fn complete_length(bytes: &[u8]) -> usize {
    let tail_start = bytes.len().saturating_sub(3);
    for start in tail_start..bytes.len() {
        let unfinished =
            str::from_utf8(&bytes[start..]).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none());
        if unfinished {
            return start;
        }
    }
    bytes.len()
}
