//! Qwen 2:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! And expressions that differ from it in one thing.

use super::chars::run;
use super::llama3::{self, Rules};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(word)];

/// Laguna: `[^\n]+|[\n]+` first.
pub(super) const LAGUNA: &[Pass] = &[Pass::Words(newlines_or_others), Pass::Words(word)];

/// UfakZeka: contractions are no words of their own.
pub(super) const UFAKZEKA: &[Pass] = &[Pass::Words(|text| llama3::word(text, &Rules { contractions: false, ..RULES }))];

/// Seed-Coder: ` ?[^\s\p{L}\p{N}\r\n]+` in place of ` ?[^\s\p{L}\p{N}]+[\r\n]*`.
pub(super) const SEED_CODER: &[Pass] =
    &[Pass::Words(|text| llama3::word(text, &Rules { newlines_after_signs: false, ..RULES }))];

const RULES: Rules = Rules { digits: 1, ..llama3::RULES };

fn word(text: &[u8]) -> usize {
    llama3::word(text, &RULES)
}

fn newlines_or_others(text: &[u8]) -> usize {
    let newlines = text.first() == Some(&b'\n');
    run(text, |c| (c.char == '\n') == newlines)
}
