//! Special tokens in a text.

use super::byte_strings::ByteStrings;
use super::strip::Strip;
use super::vocab::TokenType;

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
        let ids = (0..).zip(types).filter(|&(id, &kind)| wanted(kind) && !text(id).is_empty());
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

    /// The longest token at the front of `text` and its length: the sorted list is narrowed byte by byte.
    fn longest(&self, texts: &ByteStrings, text: &[u8]) -> Option<(u32, usize)> {
        let byte = |id: u32, at: usize| texts.get(id as usize).and_then(|token| token.get(at));
        let mut range = &self.sorted[..];
        let mut longest = None;
        for (at, wanted) in text.iter().enumerate() {
            let start = range.partition_point(|&id| byte(id, at) < Some(wanted));
            let end = range.partition_point(|&id| byte(id, at) <= Some(wanted));
            range = &range[start..end];
            let Some(&shortest) = range.first() else { break };
            if byte(shortest, at + 1).is_none() {
                longest = Some((shortest, at + 1));
            }
            if range.len() == 1 && longest.is_some_and(|(id, _)| id == shortest) {
                break;
            }
        }
        longest
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
}
