//! Special tokens that take the white space beside them.
//!
//! Files do not say which do; llama.cpp knows them by the model's name, architecture and pre-tokenizer, and so does vt.

use super::byte_strings::ByteStrings;
use super::vocab::{TokenType, Vocab};

/// The special tokens that take the white space in front of them or behind them out of a text, ascending.
#[derive(Debug, Default)]
pub(super) struct Strip {
    before: Vec<u32>,
    after: Vec<u32>,
}

impl Strip {
    /// The tokens of a vocabulary with the given types.
    pub(super) fn new(vocab: &Vocab, types: &[TokenType]) -> Self {
        let has = |text: &Option<String>, parts: &[&str]| {
            text.as_ref().is_some_and(|text| parts.iter().any(|part| text.contains(part)))
        };
        let name = vocab.name.as_ref().map(|name| name.to_ascii_lowercase());
        let masked = |mask| Self { before: named(&vocab.tokens, &[mask]), after: Vec::new() };
        if has(&vocab.pre, &["jina-v2-de", "jina-v2-es", "jina-v2-code"])
            || has(&vocab.architecture, &["nomic-bert-moe", "jina-bert-v3"])
        {
            masked("<mask>")
        } else if has(&name, &["phi-3", "phi3"]) {
            Self { before: Vec::new(), after: phi3(&vocab.tokens, types) }
        } else if has(&name, &["modern-bert"]) {
            masked("[MASK]")
        } else {
            Self::default()
        }
    }

    /// What `text` in front of a token is without the white space that the token takes.
    pub(super) fn before<'t>(&self, token: u32, text: &'t [u8]) -> &'t [u8] {
        let takes = self.before.binary_search(&token).is_ok();
        let kept =
            if takes { text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1) } else { text.len() };
        &text[..kept]
    }

    /// What `text` behind a token is without the white space that the token takes.
    pub(super) fn after<'t>(&self, token: u32, text: &'t [u8]) -> &'t [u8] {
        let takes = self.after.binary_search(&token).is_ok();
        let taken = if takes { text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len()) } else { 0 };
        &text[taken..]
    }
}

/// All that is recognised in texts but three.
fn phi3(tokens: &ByteStrings, types: &[TokenType]) -> Vec<u32> {
    let kept = named(tokens, &["<unk>", "<s>", "<|endoftext|>"]);
    let special = |kind: TokenType| kind.is_special() || kind == TokenType::UserDefined;
    (0..).zip(types).filter(|&(id, &kind)| special(kind) && !kept.contains(&id)).map(|(id, _)| id).collect()
}

/// The ids of the tokens with these texts.
fn named(tokens: &ByteStrings, texts: &[&str]) -> Vec<u32> {
    (0..)
        .zip(tokens.iter())
        .filter(|(_, token)| texts.iter().any(|text| text.as_bytes() == *token))
        .map(|(id, _)| id)
        .collect()
}

/// White space as C has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(change: impl Fn(&mut Vocab)) -> Strip {
        let texts = ["<unk>", "<s>", "<|endoftext|>", "<|end|>", "<mask>", "[MASK]", "added", "word"];
        let mut vocab = Vocab { tokens: texts.iter().collect(), ..Vocab::default() };
        change(&mut vocab);
        let mut types = [TokenType::Control; 8];
        (types[0], types[6], types[7]) = (TokenType::Unknown, TokenType::UserDefined, TokenType::Normal);
        Strip::new(&vocab, &types)
    }

    #[test]
    fn names_decide() {
        let sides = |strip: Strip| (strip.before, strip.after);
        assert_eq!(sides(strip(|_| ())), (vec![], vec![]));
        assert_eq!(sides(strip(|v| v.pre = Some("jina-v2-code".into()))), (vec![4], vec![]));
        assert_eq!(sides(strip(|v| v.architecture = Some("nomic-bert-moe".into()))), (vec![4], vec![]));
        assert_eq!(sides(strip(|v| v.name = Some("Modern-BERT base".into()))), (vec![5], vec![]));
        for name in ["Phi3", "my Phi-3 mini"] {
            assert_eq!(sides(strip(|v| v.name = Some(name.into()))), (vec![], vec![3, 4, 5, 6]));
        }
        assert_eq!(sides(strip(|v| v.architecture = Some("phi3".into()))), (vec![], vec![]));
    }

    #[test]
    fn white_space_is_taken_on_one_side() {
        let mask = strip(|v| v.pre = Some("jina-v2-de".into()));
        assert_eq!(mask.before(4, b" a \t\n\x0b\x0c\r"), b" a");
        assert_eq!(mask.before(4, b" \n"), b"");
        assert_eq!(mask.before(5, b"a "), b"a ");
        assert_eq!(mask.after(4, b" a"), b" a");
        let phi = strip(|v| v.name = Some("phi-3".into()));
        assert_eq!(phi.after(3, b" \t\n\x0b\x0c\r\xc2\xa0a "), b"\xc2\xa0a ");
        assert_eq!(phi.after(3, b"  "), b"");
        assert_eq!(phi.after(1, b" a"), b" a");
        assert_eq!(phi.before(3, b"a "), b"a ");
    }
}
