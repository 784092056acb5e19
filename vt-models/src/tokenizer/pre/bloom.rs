//! BLOOM and others: ` ?[^(\s|.,!?…。，、।۔،)]+`. Viking has a second pass, `\p{N}`.

use super::chars::{Char, run};
use super::pass::Pass;
use super::smollm::digit;

pub(super) const PASSES: &[Pass] = &[Pass::Isolate(word)];

/// Viking.
pub(super) const VIKING: &[Pass] = &[Pass::Isolate(word), Pass::Isolate(digit)];

fn word(text: &[u8]) -> usize {
    let space = usize::from(text.first() == Some(&b' '));
    match run(&text[space..], is_in_word) {
        0 => 0,
        length => space + length,
    }
}

fn is_in_word(c: Char) -> bool {
    let excluded = ['(', '|', '.', ',', '!', '?', '…', '。', '，', '、', '।', '۔', '،', ')'];
    !c.is_space() && !excluded.contains(&c.char)
}
