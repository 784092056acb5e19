//! DeepSeek V3 and others, three passes:
//! `\p{N}{1,3}`,
//! `[一-龥぀-ゟ゠-ヿ]+`, and
//! ``[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+``.
//! The last one does not match everywhere: controls and digits remain between its words.

use super::chars::{Char, Class, first, run};
use super::llama3::{digits, lines};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] =
    &[Pass::Isolate(|text| digits(text, 3)), Pass::Isolate(ideographs_and_kana), Pass::Isolate(word)];

fn ideographs_and_kana(text: &[u8]) -> usize {
    run(text, |c| matches!(c.char, '\u{4E00}'..='\u{9FA5}' | '\u{3040}'..='\u{30FF}'))
}

fn word(text: &[u8]) -> usize {
    let Some(head) = first(text) else { return 0 };
    let alternatives = [sign_and_ascii_letters, letters_and_marks, signs];
    let length = alternatives.iter().map(|alternative| alternative(text, head)).find(|&length| length > 0);
    length.unwrap_or_else(|| lines(text))
}

/// ``[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+``
fn sign_and_ascii_letters(text: &[u8], head: Char) -> usize {
    let letters = text[head.len..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if head.char.is_ascii_punctuation() && letters > 0 { head.len + letters } else { 0 }
}

/// `[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`
fn letters_and_marks(text: &[u8], head: Char) -> usize {
    let in_word = |c: Char| matches!(c.class(), Class::Letter | Class::Mark);
    let after = run(&text[head.len..], in_word);
    let may_lead = !head.is_newline() && !is_sign(head);
    if in_word(head) || (may_lead && after > 0) { head.len + after } else { 0 }
}

/// ` ?[\p{P}\p{S}]+[\r\n]*`
fn signs(text: &[u8], _: Char) -> usize {
    let space = usize::from(text.first() == Some(&b' '));
    match run(&text[space..], is_sign) {
        0 => 0,
        signs => space + signs + run(&text[space + signs..], Char::is_newline),
    }
}

fn is_sign(c: Char) -> bool {
    matches!(c.class(), Class::Punctuation | Class::Symbol)
}
