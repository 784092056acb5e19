//! Llama 3:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! Many expressions have this shape; `Rules` is where they differ. `\s*[\r\n]`, with one newline, which some of them
//! have, is the same as `\s*[\r\n]+`: the spaces before it take newlines, too.

use super::chars::{Char, Class, first, run};
use super::gpt2;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(|text| word(text, &RULES))];

pub(super) const RULES: Rules =
    Rules { digits: 3, contractions: true, is_word: |class| class == Class::Letter, newlines_after_signs: true };

/// How expressions of this shape differ.
pub(super) struct Rules {
    /// The most digits in a word.
    pub(super) digits: usize,
    /// Whether `'s` and the like are words.
    pub(super) contractions: bool,
    /// What words are made of: `\p{L}`, or `[\p{L}\p{M}]`.
    pub(super) is_word: fn(Class) -> bool,
    /// Whether signs take the newlines behind them.
    pub(super) newlines_after_signs: bool,
}

/// The length of the word at the front of `text`.
pub(super) fn word(text: &[u8], rules: &Rules) -> usize {
    let contraction = if rules.contractions { any_case_contraction(text) } else { 0 };
    if contraction > 0 {
        return contraction;
    }
    let Some(head) = first(text) else { return 0 };
    if head.is_number() {
        return digits(text, rules.digits);
    }
    let letters = letters(text, head, rules);
    if letters > 0 {
        return letters;
    }
    let signs = signs(text, rules);
    if signs > 0 { signs } else { lines(text) }
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
pub(super) fn any_case_contraction(text: &[u8]) -> usize {
    gpt2::contraction(text, |byte| byte.to_ascii_lowercase())
}

/// `\p{N}{1,most}`
pub(super) fn digits(text: &[u8], most: usize) -> usize {
    let mut end = 0;
    for _ in 0..most {
        let Some(c) = first(&text[end..]).filter(|c| c.is_number()) else { break };
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
        signs if !rules.newlines_after_signs => space + signs,
        signs => space + signs + run(&text[space + signs..], Char::is_newline),
    }
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
pub(super) fn lines(text: &[u8]) -> usize {
    let spaces = run(text, Char::is_space);
    match text[..spaces].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        Some(newline) => newline + 1,
        None => gpt2::spaces(text),
    }
}
