//! GPT-2:
//! `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

use super::chars::{Char, Class, first, run};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(word)];

/// The length of the word at the front of `text`.
pub(super) fn word(text: &[u8]) -> usize {
    let contraction = contraction(text, |byte| byte);
    if contraction > 0 {
        return contraction;
    }
    let space = usize::from(text.first() == Some(&b' '));
    match first(&text[space..]).map(Char::class) {
        None | Some(Class::Space) => spaces(text),
        Some(class @ (Class::Letter | Class::Number)) => space + run(&text[space..], |c| c.class() == class),
        Some(_) => space + run(&text[space..], is_sign),
    }
}

/// `'s|'t|'re|'ve|'m|'ll|'d` over `fold`ed letters: the length of the match, or 0.
pub(super) fn contraction(text: &[u8], fold: fn(u8) -> u8) -> usize {
    let letter = |at: usize| text.get(at).copied().map(fold);
    if text.first() != Some(&b'\'') {
        return 0;
    }
    match (letter(1), letter(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ => 0,
    }
}

/// `\s+(?!\S)|\s+`: all of the spaces at the end of the text, all but the last one before a word, but at least one.
pub(super) fn spaces(text: &[u8]) -> usize {
    let (mut end, mut last) = (0, 0);
    while let Some(c) = first(&text[end..]).filter(|c| c.is_space()) {
        last = c.len;
        end += c.len;
    }
    if end == text.len() || end == last { end } else { end - last }
}

/// `[^\s\p{L}\p{N}]`
pub(super) fn is_sign(c: Char) -> bool {
    !matches!(c.class(), Class::Space | Class::Letter | Class::Number)
}
