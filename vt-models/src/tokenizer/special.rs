//! Special tokens in a text.

use super::byte_strings::ByteStrings;
use super::prefix::longest_prefix;
use super::strip::Strip;
use super::vocab::TokenType;

/// The longest text of a special or user-defined token that is looked for in texts, in bytes. Published vocabularies
/// have a few dozen; without a limit a hostile file could make a text take a time that grows with its square.
pub const MAX_SPECIAL_BYTES: usize = 512;

/// A stretch of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fragment<'t> {
    /// Text for the model.
    Text(&'t [u8]),
    /// A special token.
    Token(u32),
}

/// A set of tokens that are looked for in texts: at the leftmost place, there the longest.
#[derive(Debug)]
pub(super) struct SpecialMatcher {
    /// Ids in the order of their texts, each text once, none empty.
    sorted: Vec<u32>,
    /// The bytes that a token of the set starts with.
    starts: [bool; 256],
}

impl SpecialMatcher {
    /// The matcher of the tokens whose type is `wanted`. `texts` are those of all tokens, here and below.
    pub(super) fn new(texts: &ByteStrings, types: &[TokenType], wanted: impl Fn(TokenType) -> bool) -> Self {
        let text = |id: u32| texts.get(id as usize).unwrap_or_default();
        let ids =
            (0..).zip(types).filter(|&(id, &kind)| wanted(kind) && (1..=MAX_SPECIAL_BYTES).contains(&text(id).len()));
        let mut sorted: Vec<u32> = ids.map(|(id, _)| id).collect();
        sorted.sort_by_key(|&id| text(id));
        sorted.dedup_by_key(|id| text(*id));
        let mut starts = [false; 256];
        sorted.iter().filter_map(|&id| text(id).first()).for_each(|&byte| starts[usize::from(byte)] = true);
        Self { sorted, starts }
    }

    /// Calls `fragment` with the tokens of the set in `text` and the stretches between them, none of which is empty,
    /// without what `strip` takes.
    pub(super) fn split<'t>(
        &self,
        texts: &ByteStrings,
        strip: &Strip,
        mut text: &'t [u8],
        mut fragment: impl FnMut(Fragment<'t>),
    ) {
        let text_fragment = |text: &'t [u8], fragment: &mut dyn FnMut(Fragment<'t>)| {
            if !text.is_empty() {
                fragment(Fragment::Text(text));
            }
        };
        let mut place = 0;
        while let Some(&byte) = text.get(place) {
            let found = if self.starts[usize::from(byte)] { self.longest(texts, &text[place..]) } else { None };
            let Some((id, length)) = found else {
                place += 1;
                continue;
            };
            text_fragment(strip.before(id, &text[..place]), &mut fragment);
            fragment(Fragment::Token(id));
            text = strip.after(id, &text[place + length..]);
            place = 0;
        }
        text_fragment(text, &mut fragment);
    }

    /// The longest token at the front of `text` and its length.
    fn longest(&self, texts: &ByteStrings, text: &[u8]) -> Option<(u32, usize)> {
        let byte = |&id: &u32, at: usize| texts.get(id as usize)?.get(at).copied();
        longest_prefix(&self.sorted, text, byte, |_| true).map(|(&id, length)| (id, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragments<'t>(tokens: &[&str], text: &'t str) -> Vec<Fragment<'t>> {
        let texts: ByteStrings = tokens.iter().collect();
        let types = vec![TokenType::Control; tokens.len()];
        let matcher = SpecialMatcher::new(&texts, &types, |_| true);
        let mut found = Vec::new();
        matcher.split(&texts, &Strip::default(), text.as_bytes(), |fragment| found.push(fragment));
        found
    }

    #[test]
    fn the_leftmost_and_there_the_longest() {
        use Fragment::{Text, Token};
        let tokens = ["<a>", "<a><b>", "bc", "", "<a>", "c<a"];
        assert_eq!(fragments(&tokens, ""), []);
        assert_eq!(fragments(&tokens, "plain"), [Text(b"plain")]);
        assert_eq!(fragments(&tokens, "<a>"), [Token(0)]);
        assert_eq!(fragments(&tokens, "x<a><b>y"), [Text(b"x"), Token(1), Text(b"y")]);
        assert_eq!(fragments(&tokens, "<a><bc>"), [Token(0), Text(b"<"), Token(2), Text(b">")]);
        assert_eq!(fragments(&tokens, "bc<a>"), [Token(2), Token(0)]);
        assert_eq!(fragments(&tokens, "<a"), [Text(b"<a")]);
        assert_eq!(fragments(&tokens, "ac<a>"), [Text(b"a"), Token(5), Text(b">")]);
    }

    #[test]
    fn tokens_in_tokens_are_found_up_to_the_limit() {
        let text = "h".repeat(MAX_SPECIAL_BYTES + 1);
        let tokens = [&text[..1], &text[..7], &text[1..], &text, &text[..8]];
        let found = |length: usize| fragments(&tokens, &text[..length]);
        assert_eq!(found(7), [Fragment::Token(1)]);
        assert_eq!(found(8), [Fragment::Token(4)]);
        assert_eq!(found(10), [Fragment::Token(4), Fragment::Token(0), Fragment::Token(0)]);
        assert_eq!(found(MAX_SPECIAL_BYTES), [Fragment::Token(2)]);
        assert_eq!(found(MAX_SPECIAL_BYTES + 1), [Fragment::Token(2), Fragment::Token(0)]);
    }
}
