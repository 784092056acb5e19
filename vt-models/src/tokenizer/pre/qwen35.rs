//! Qwen 3.5, where marks belong to words:
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

use super::chars::Class;
use super::llama3::{self, Rules};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Words(|text| llama3::word(text, &RULES))];

const RULES: Rules =
    Rules { digits: 1, is_word: |class| matches!(class, Class::Letter | Class::Mark), ..llama3::RULES };
