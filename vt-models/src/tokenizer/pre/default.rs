//! What llama.cpp does for a file that names no pre-tokenizer, four passes:
//! `[\p{P}\$\+<=>\^~\|]+`, GPT-2's expression, `\p{N}+`, `[0-9][0-9][0-9]`.

use super::chars::{Char, Class, run};
use super::falcon::three_digits;
use super::gpt2;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] =
    &[Pass::Isolate(signs), Pass::Words(gpt2::word), Pass::Isolate(numbers), Pass::Isolate(three_digits)];

fn signs(text: &[u8]) -> usize {
    run(text, is_isolated_sign)
}

/// `[\p{P}\$\+<=>\^~\|]`
pub(super) fn is_isolated_sign(c: Char) -> bool {
    matches!(c.char, '$' | '+' | '<' | '=' | '>' | '^' | '~' | '|') || c.class() == Class::Punctuation
}

fn numbers(text: &[u8]) -> usize {
    run(text, Char::is_number)
}
