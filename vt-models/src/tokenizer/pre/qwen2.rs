//! Qwen 2:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

use super::chars::Class;
use super::llama3::{self, Rules};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(|text| llama3::word(text, &RULES))];

const RULES: Rules = Rules { digits: 1, is_word: |class| class == Class::Letter };
