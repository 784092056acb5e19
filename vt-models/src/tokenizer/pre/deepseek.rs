//! DeepSeek's first pre-tokenizers. Each pass also cuts what the ones before it matched.
//!
//! DeepSeek LLM, six passes: `[\r\n]`, `\s?LETTERS+`, `\s?SIGNS+`, `\s+$`, `CJK+`, `\p{N}+`.
//! DeepSeek Coder, five passes: `[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, `CJK+`, `\p{N}`.
//!
//! llama.cpp's three classes written out as ranges hold no spaces: it reads every space beyond ASCII as a vertical tab
//! before it matches them. So U+3000, which SIGNS lists, is none of them, and neither are U+1680 and U+2000 to U+205F of
//! CJK. vt does the same.

use super::chars::{Char, Class, first, run};
use super::deepseek_letters::is_listed_letter;
use super::pass::Pass;
use super::smollm::digit;

/// DeepSeek LLM.
pub(super) const LLM: &[Pass] = &[
    Pass::Isolate(newline),
    Pass::Isolate(|text| after_space(text, |c| is_listed_letter(c.char))),
    Pass::Isolate(|text| after_space(text, is_listed_sign)),
    Pass::Suffix(Char::is_space),
    Pass::Isolate(cjk),
    Pass::Isolate(|text| run(text, Char::is_number)),
];

/// DeepSeek Coder.
pub(super) const CODER: &[Pass] = &[
    Pass::Isolate(newline),
    Pass::Isolate(|text| after_space(text, Char::is_letter)),
    Pass::Isolate(|text| after_space(text, |c| c.class() == Class::Punctuation)),
    Pass::Isolate(cjk),
    Pass::Isolate(digit),
];

/// `[\r\n]`
fn newline(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'\r' | b'\n')))
}

/// `\s?[wanted]+`, where no space is wanted.
fn after_space(text: &[u8], wanted: impl Fn(Char) -> bool) -> usize {
    let space = first(text).filter(|c| c.is_space()).map_or(0, |c| c.len);
    match run(&text[space..], wanted) {
        0 => 0,
        length => space + length,
    }
}

/// SIGNS: `[!-/:-~！-／：-～‘-‟　-。]`, which has the ASCII letters.
fn is_listed_sign(c: Char) -> bool {
    matches!(c.char, '!'..='/' | ':'..='~' | '！'..='／' | '：'..='～' | '‘'..='‟' | '、'..='。')
}

/// `CJK+`: `[一-龥ࠀ-一가-퟿]+`, which has much more than its name.
fn cjk(text: &[u8]) -> usize {
    run(text, |c| matches!(c.char, '\u{800}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7FF}') && !c.is_space())
}
