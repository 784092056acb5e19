//! GPT-4o, which cuts `camelCase` in two:
//! `LEAD?UPPER*LOWER+ENDING?|LEAD?UPPER+LOWER*ENDING?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//! with LEAD = `[^\r\n\p{L}\p{N}]` and ENDING = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`.
//! Tekken (Mistral) is the same without ENDING and with `\p{N}`.
//!
//! llama.cpp's UPPER is every letter but `a` to `z`, and LOWER every letter but `A` to `Z`: a letter beyond ASCII is
//! both, whatever its case (the original expressions go by Unicode's cases and count marks to both). vt does the same.

use super::chars::{Char, Class, first, run};
use super::gpt2;
use super::llama3::{any_case_contraction, digits, lines};
use super::pass::Pass;

/// GPT-4o, Llama 4 and others.
pub(super) const PASSES: &[Pass] = &[Pass::Words(|text| word(text, &Rules { digits: 3, endings: true }))];

/// Tekken.
pub(super) const TEKKEN: &[Pass] = &[Pass::Words(|text| word(text, &Rules { digits: 1, endings: false }))];

/// How the two differ.
struct Rules {
    /// The most digits in a word.
    digits: usize,
    /// Whether a word takes the contraction behind it.
    endings: bool,
}

fn word(text: &[u8], rules: &Rules) -> usize {
    let Some(head) = first(text) else { return 0 };
    if head.is_number() {
        return digits(text, rules.digits);
    }
    let lead = if head.is_letter() || head.is_newline() { 0 } else { head.len };
    let letters = cased_letters(&text[lead..]);
    if letters > 0 {
        let end = lead + letters;
        return end + if rules.endings { any_case_contraction(&text[end..]) } else { 0 };
    }
    let signs = signs(text);
    if signs > 0 { signs } else { lines(text) }
}

/// `UPPER*LOWER+|UPPER+LOWER*`
fn cased_letters(text: &[u8]) -> usize {
    let mut last_lower = 0;
    let mut end = 0;
    while let Some(c) = first(&text[end..]).filter(|&c| is_upper(c)) {
        end += c.len;
        if is_lower(c) {
            last_lower = end;
        }
    }
    match run(&text[end..], is_lower) {
        // Nothing follows that is only LOWER, so UPPER* gives back as much as LOWER+ needs: up to the last letter that
        // is both. Where there is none the second alternative takes all.
        0 if last_lower > 0 => last_lower,
        lower => end + lower,
    }
}

fn is_upper(c: Char) -> bool {
    c.class() == Class::Letter && !c.char.is_ascii_lowercase()
}

fn is_lower(c: Char) -> bool {
    c.class() == Class::Letter && !c.char.is_ascii_uppercase()
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
fn signs(text: &[u8]) -> usize {
    let space = usize::from(text.first() == Some(&b' '));
    match run(&text[space..], gpt2::is_sign) {
        0 => 0,
        signs => space + signs + run(&text[space + signs..], |c| c.is_newline() || c.char == '/'),
    }
}
