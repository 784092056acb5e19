//! Falcon, three passes: ``[\p{P}\$\+<=>\^~\|`]+``, GPT-2's expression, `[0-9][0-9][0-9]`.

use super::chars::run;
use super::default::is_isolated_sign;
use super::gpt2;
use super::pass::Pass;

pub(super) const PASSES: &[Pass] = &[Pass::Isolate(signs), Pass::Words(gpt2::word), Pass::Isolate(three_digits)];

fn signs(text: &[u8]) -> usize {
    run(text, |c| c.char == '`' || is_isolated_sign(c))
}

/// `[0-9][0-9][0-9]`
pub(super) fn three_digits(text: &[u8]) -> usize {
    let digits = text.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 3 { 3 } else { 0 }
}
