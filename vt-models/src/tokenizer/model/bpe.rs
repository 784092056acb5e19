//! Byte-level BPE (`tokenizer.ggml.model` = `gpt2`).
//!
//! A text is cut into words, a word into its bytes, and bytes are merged in the order of the merges' ranks. Tokens and
//! merges are kept as the bytes they stand for, not as the printable characters of the file.
//!
//! Where a merge makes something that is no token, the tokens of its bytes stand for it (llama.cpp drops those bytes that
//! are not ASCII). Spaces before punctuation, which llama.cpp can take out of the text of tokens, stay.

use super::super::byte_strings::ByteStrings;
use super::super::error::TokenizerError;
use super::super::pre::PreTokenizer;
use super::super::text_index::TextIndex;
use super::byte_alphabet::append_decoded;
use super::merge::{MAX_WORD, MergeTable, Merger};

/// The tables of a byte-level BPE vocabulary.
#[derive(Debug)]
pub(in super::super) struct Bpe {
    pre: &'static PreTokenizer,
    /// The symbol of each single byte.
    bytes: [u32; 256],
    merges: MergeTable,
    /// Symbols below this are tokens; those above are parts of merges that the vocabulary does not have.
    tokens: u32,
    /// For vocabularies whose words are looked up whole before they are merged.
    whole_words: Option<Symbols>,
}

impl Bpe {
    /// Builds the tables; `tokens` and merges together are fewer than 2^32 (checked by the vocabulary).
    pub(super) fn new(
        tokens: &ByteStrings,
        merges: &ByteStrings,
        pre: &'static PreTokenizer,
    ) -> Result<Self, TokenizerError> {
        let mut symbols = Symbols::new(tokens);
        let count = symbols.strings.len() as u32;
        let bytes = std::array::from_fn(|byte| symbols.intern(&[byte as u8]));
        let merges = merge_table(&mut symbols, merges)?;
        Ok(Self { pre, bytes, merges, tokens: count, whole_words: pre.ignore_merges.then_some(symbols) })
    }

    /// Appends the tokens of `text`. Bytes that the vocabulary cannot express are left out.
    pub(super) fn encode(&self, text: &[u8], tokens: &mut Vec<u32>) {
        let mut merger = Merger::default();
        self.pre.split(text, &mut |word| match self.whole_word(word) {
            Some(token) => tokens.push(token),
            None => word.chunks(MAX_WORD).for_each(|word| self.encode_word(word, &mut merger, tokens)),
        });
    }

    fn whole_word(&self, word: &[u8]) -> Option<u32> {
        let symbols = self.whole_words.as_ref()?;
        symbols.index.get(&symbols.strings, word).filter(|&symbol| symbol < self.tokens)
    }

    fn encode_word(&self, word: &[u8], merger: &mut Merger, tokens: &mut Vec<u32>) {
        let symbols = word.iter().map(|&byte| self.bytes[usize::from(byte)]);
        merger.merge(&self.merges, symbols, |symbol, range| {
            if symbol < self.tokens {
                tokens.push(symbol);
            } else {
                let single = word[range].iter().map(|&byte| self.bytes[usize::from(byte)]);
                tokens.extend(single.filter(|&token| token < self.tokens));
            }
        });
    }
}

/// The byte strings that merges are about: first the tokens, then what only merges name.
#[derive(Debug)]
struct Symbols {
    strings: ByteStrings,
    index: TextIndex,
}

impl Symbols {
    /// The tokens' bytes. A token that is not written in the byte alphabet, or repeats an earlier one, keeps its place
    /// without bytes: it is not found.
    fn new(tokens: &ByteStrings) -> Self {
        let mut symbols = Self {
            strings: ByteStrings::with_capacity(tokens.len() + 256, tokens.total_bytes() + 256),
            index: TextIndex::with_capacity(tokens.len() + 256),
        };
        let mut decoded = Vec::new();
        for (id, text) in (0..).zip(tokens.iter()) {
            decoded.clear();
            let findable = append_decoded(text, &mut decoded)
                && !decoded.is_empty()
                && symbols.index.get_or_insert(&symbols.strings, &decoded, id) == id;
            symbols.strings.push(if findable { &decoded } else { &[] });
        }
        symbols
    }

    /// The symbol of `string`, a new one if there is none.
    fn intern(&mut self, string: &[u8]) -> u32 {
        let next = self.strings.len() as u32;
        let symbol = self.index.get_or_insert(&self.strings, string, next);
        if symbol == next {
            self.strings.push(string);
        }
        symbol
    }

    /// The same, faster if the symbol is `guess` or the one after it.
    fn intern_near(&mut self, string: &[u8], guess: u32) -> u32 {
        let guesses = [guess, guess.saturating_add(1)];
        let guessed = guesses.into_iter().find(|&guess| self.strings.get(guess as usize) == Some(string));
        guessed.unwrap_or_else(|| self.intern(string))
    }
}

fn merge_table(symbols: &mut Symbols, merges: &ByteStrings) -> Result<MergeTable, TokenizerError> {
    let mut table = MergeTable::with_capacity(merges.len());
    let mut whole = Vec::new();
    // Merges are nearly always listed in the order of the tokens they make.
    let mut symbol = 0;
    for (index, merge) in merges.iter().enumerate() {
        let (left, right) = parts(merge).ok_or(TokenizerError::BadMerge { index })?;
        whole.clear();
        let left_is_written = append_decoded(left, &mut whole);
        let middle = whole.len();
        // A part that is not written in the byte alphabet is no part of any text: the merge never applies.
        if left_is_written && append_decoded(right, &mut whole) {
            let (left, right) = (symbols.intern(&whole[..middle]), symbols.intern(&whole[middle..]));
            symbol = symbols.intern_near(&whole, symbol);
            table.insert(left, right, index as u32, symbol);
        }
    }
    Ok(table)
}

/// The two parts of a merge. The first character belongs to the left part, whatever it is.
fn parts(merge: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = 1 + merge.get(1..)?.iter().position(|&byte| byte == b' ')?;
    let (left, right) = (&merge[..space], &merge[space + 1..]);
    (!right.is_empty()).then_some((left, right))
}
