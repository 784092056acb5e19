//! SmolLM, two passes: `\p{N}` (every digit alone), then GPT-2's expression.

use super::chars::{Class, first};
use super::gpt2;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Isolate(digit), Pass::Words(gpt2::word)];

fn digit(text: &[u8]) -> usize {
    first(text).filter(|c| c.class() == Class::Number).map_or(0, |c| c.len)
}
