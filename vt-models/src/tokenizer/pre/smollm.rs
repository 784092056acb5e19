//! SmolLM, StarCoder, Refact, Command R and others, two passes: `\p{N}` (every digit alone), then GPT-2's expression.

use super::gpt2;
use super::llama3::digits;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Isolate(digit), Pass::Words(gpt2::word)];

/// `\p{N}`
pub(super) fn digit(text: &[u8]) -> usize {
    digits(text, 1)
}
