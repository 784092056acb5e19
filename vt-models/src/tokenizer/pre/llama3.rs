//! Llama 3:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! Qwen's expressions have the same shape; `Rules` is where they differ.

use super::chars::{Char, Class, first, run};
use super::gpt2;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(|text| word(text, &RULES))];

const RULES: Rules = Rules { digits: 3, is_word: |class| class == Class::Letter };

/// How expressions of this shape differ.
pub(super) struct Rules {
    /// The most digits in a word.
    pub(super) digits: usize,
    /// What words are made of: `\p{L}`, or `[\p{L}\p{M}]`.
    pub(super) is_word: fn(Class) -> bool,
}

/// The length of the word at the front of `text`.
pub(super) fn word(text: &[u8], rules: &Rules) -> usize {
    let contraction = gpt2::contraction(text, |byte| byte.to_ascii_lowercase());
    if contraction > 0 {
        return contraction;
    }
    let Some(head) = first(text) else { return 0 };
    if head.class() == Class::Number {
        return digits(text, rules.digits);
    }
    let letters = letters(text, head, rules);
    if letters > 0 {
        return letters;
    }
    let signs = signs(text, rules);
    if signs > 0 { signs } else { lines(text) }
}

/// `\p{N}{1,most}`
fn digits(text: &[u8], most: usize) -> usize {
    let mut end = 0;
    for _ in 0..most {
        let Some(c) = first(&text[end..]).filter(|c| c.class() == Class::Number) else { break };
        end += c.len;
    }
    end
}

/// `[^\r\n\p{L}\p{N}]?\p{L}+`, where `head` is no number.
fn letters(text: &[u8], head: Char, rules: &Rules) -> usize {
    let in_word = |c: Char| (rules.is_word)(c.class());
    let after = run(&text[head.len..], in_word);
    if in_word(head) || (after > 0 && !head.is_newline()) { head.len + after } else { 0 }
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n]*`
fn signs(text: &[u8], rules: &Rules) -> usize {
    let space = usize::from(text.first() == Some(&b' '));
    match run(&text[space..], |c| gpt2::is_sign(c) && !(rules.is_word)(c.class())) {
        0 => 0,
        signs => space + signs + run(&text[space + signs..], Char::is_newline),
    }
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
fn lines(text: &[u8]) -> usize {
    let spaces = run(text, |c| c.class() == Class::Space);
    match text[..spaces].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(newline) => newline + 1,
        None => gpt2::spaces(text),
    }
}
