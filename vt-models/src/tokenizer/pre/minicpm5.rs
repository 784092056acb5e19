//! MiniCPM 5, two passes: `\p{N}{1,3}`, then Llama 3's expression with `\p{N}+` in place of `\p{N}{1,3}`.

use super::llama3::{self, Rules};
use super::pass::Pass;

pub(super) const PASSES: &[Pass] =
    &[Pass::Isolate(|text| llama3::digits(text, 3)), Pass::Words(|text| llama3::word(text, &RULES))];

const RULES: Rules = Rules { digits: usize::MAX, ..llama3::RULES };
