//! Characters in bytes, and the classes that pre-tokenizers tell apart.

use unicode_general_category::{GeneralCategory, get_general_category};

/// The classes of the patterns. No character is in two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `\p{L}`
    Letter,
    /// `\p{M}`
    Mark,
    /// `\p{N}`
    Number,
    /// `\p{P}`
    Punctuation,
    /// `\s`: the property White_Space.
    Space,
    /// `\p{S}`
    Symbol,
    /// Controls, private and unassigned code points.
    Other,
}

/// One character at the front of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Char {
    /// The character; U+FFFD for a byte that is not part of valid UTF-8.
    pub(super) char: char,
    /// Its bytes in the text.
    pub(super) len: usize,
}

impl Char {
    pub(super) fn class(self) -> Class {
        match self.char {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            c if c.is_whitespace() => Class::Space,
            c if is_newer_than_models(c) => Class::Other,
            c => category(c),
        }
    }

    pub(super) fn is_letter(self) -> bool {
        self.class() == Class::Letter
    }

    pub(super) fn is_number(self) -> bool {
        self.class() == Class::Number
    }

    pub(super) fn is_space(self) -> bool {
        self.class() == Class::Space
    }

    pub(super) fn is_newline(self) -> bool {
        matches!(self.char, '\r' | '\n')
    }
}

/// The blocks and code points that Unicode 16 added. In llama.cpp's tables, those of Unicode 15.1, and in those of most
/// models they are unassigned.
const UNICODE_16: [(u32, u32); 33] = [
    (0x897, 0x897),
    (0x1B4E, 0x1B4F),
    (0x1B7F, 0x1B7F),
    (0x1C89, 0x1C8A),
    (0x2427, 0x2429),
    (0x31E4, 0x31E5),
    (0xA7CB, 0xA7CD),
    (0xA7DA, 0xA7DC),
    (0x105C0, 0x105FF),
    (0x10D40, 0x10D8F),
    (0x10EC2, 0x10EC4),
    (0x10EFC, 0x10EFC),
    (0x11380, 0x113FF),
    (0x116D0, 0x116FF),
    (0x11BC0, 0x11BFF),
    (0x11F5A, 0x11F5A),
    (0x13460, 0x143FF),
    (0x16100, 0x1613F),
    (0x16D40, 0x16D7F),
    (0x18CFF, 0x18CFF),
    (0x1CC00, 0x1CCF9),
    (0x1CD00, 0x1CEB3),
    (0x1E5D0, 0x1E5FF),
    (0x1F8B2, 0x1F8BB),
    (0x1F8C0, 0x1F8C1),
    (0x1FA89, 0x1FA89),
    (0x1FA8F, 0x1FA8F),
    (0x1FABE, 0x1FABE),
    (0x1FAC6, 0x1FAC6),
    (0x1FADC, 0x1FADC),
    (0x1FADF, 0x1FADF),
    (0x1FAE9, 0x1FAE9),
    (0x1FBCB, 0x1FBEF),
];

fn is_newer_than_models(c: char) -> bool {
    let code = u32::from(c);
    let next = UNICODE_16.partition_point(|&(_, end)| end < code);
    UNICODE_16.get(next).is_some_and(|&(start, _)| start <= code)
}

fn category(c: char) -> Class {
    use GeneralCategory as G;
    match get_general_category(c) {
        G::UppercaseLetter | G::LowercaseLetter | G::TitlecaseLetter | G::ModifierLetter | G::OtherLetter => {
            Class::Letter
        }
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Mark,
        G::DecimalNumber | G::LetterNumber | G::OtherNumber => Class::Number,
        G::ConnectorPunctuation
        | G::DashPunctuation
        | G::OpenPunctuation
        | G::ClosePunctuation
        | G::InitialPunctuation
        | G::FinalPunctuation
        | G::OtherPunctuation => Class::Punctuation,
        G::MathSymbol | G::CurrencySymbol | G::ModifierSymbol | G::OtherSymbol => Class::Symbol,
        _ => Class::Other,
    }
}

/// The first character of `text`; none if it is empty. A byte that does not start a valid character stands alone.
pub(super) fn first(text: &[u8]) -> Option<Char> {
    let lead = *text.first()?;
    if lead < 0x80 {
        return Some(Char { char: char::from(lead), len: 1 });
    }
    let len = match lead {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    let valid = text.get(..len).and_then(|bytes| str::from_utf8(bytes).ok()).and_then(|s| s.chars().next());
    Some(valid.map_or(Char { char: char::REPLACEMENT_CHARACTER, len: 1 }, |char| Char { char, len }))
}

/// The bytes at the front of `text` whose characters all satisfy `wanted`.
pub(super) fn run(text: &[u8], wanted: impl Fn(Char) -> bool) -> usize {
    let mut end = 0;
    while let Some(c) = first(&text[end..]).filter(|&c| wanted(c)) {
        end += c.len;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// llama.cpp's classes of all code points: runs of a length and a class.
    const CLASSES: &str = include_str!("../../../tests/data/pre/classes.tsv");

    #[test]
    fn classes_of_all_code_points_are_those_of_llama_cpp() {
        let mut code = 0;
        for run in CLASSES.trim_end_matches('\n').split('\t') {
            let (length, name) = run.split_once(' ').unwrap();
            let expected = match name {
                "L" => Class::Letter,
                "M" => Class::Mark,
                "N" => Class::Number,
                "P" => Class::Punctuation,
                "S" => Class::Symbol,
                " " => Class::Space,
                "C" => Class::Other,
                _ => panic!("{run:?}"),
            };
            let end = code + length.parse::<u32>().unwrap();
            for char in (code..end).filter_map(char::from_u32) {
                assert_eq!(Char { char, len: 1 }.class(), expected, "{char:?}");
            }
            code = end;
        }
        assert_eq!(code, 0x11_0000);
    }

    #[test]
    fn invalid_bytes_stand_alone() {
        let lengths = |mut text: &[u8]| {
            let mut lengths = Vec::new();
            while let Some(c) = first(text) {
                lengths.push((c.char, c.len));
                text = &text[c.len..];
            }
            lengths
        };
        let bad = (char::REPLACEMENT_CHARACTER, 1);
        assert_eq!(lengths("é字😀".as_bytes()), [('é', 2), ('字', 3), ('😀', 4)]);
        assert_eq!(lengths(b"\xffa\xc3"), [bad, ('a', 1), bad]);
        assert_eq!(lengths(b"\xe5\xad"), [bad, bad]);
        assert_eq!(lengths(b"\xed\xa0\x80\xc0\x80"), [bad; 5]);
    }
}
