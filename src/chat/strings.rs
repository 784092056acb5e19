//! Python's functions of strings.

use super::python::is_space;

/// `text.split(separator, most)`
pub(super) fn split<'a>(text: &'a str, separator: &str, most: usize) -> Vec<&'a str> {
    text.splitn(most.saturating_add(1), separator).collect()
}

/// `text.rsplit(separator, most)`
pub(super) fn split_back<'a>(text: &'a str, separator: &str, most: usize) -> Vec<&'a str> {
    let mut parts: Vec<&str> = text.rsplitn(most.saturating_add(1), separator).collect();
    parts.reverse();
    parts
}

/// `text.split(None, most)`: what is left after `most` words stays as it is.
pub(super) fn words(text: &str, most: usize) -> Vec<&str> {
    let mut rest = text.trim_start_matches(is_space);
    let mut words = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(is_space).filter(|_| words.len() < most).unwrap_or(rest.len());
        words.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_space);
    }
    words
}

/// `text.rsplit(None, most)`
pub(super) fn words_back(text: &str, most: usize) -> Vec<&str> {
    let mut rest = text.trim_end_matches(is_space);
    let mut words = Vec::new();
    while !rest.is_empty() {
        let before = rest.char_indices().rev().find(|(_, c)| is_space(*c)).filter(|_| words.len() < most);
        let start = before.map_or(0, |(at, c)| at + c.len_utf8());
        words.push(&rest[start..]);
        rest = rest[..start].trim_end_matches(is_space);
    }
    words.reverse();
    words
}

/// `text.splitlines(keep)`
pub(super) fn lines(text: &str, keep: bool) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_line_end) {
        let first = rest[at..].chars().next().map_or(0, char::len_utf8);
        let behind = at + if rest[at..].starts_with("\r\n") { 2 } else { first };
        lines.push(&rest[..if keep { behind } else { at }]);
        rest = &rest[behind..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// `text.title()`: a letter behind anything but a letter is a capital one.
pub(super) fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        if inside {
            out.extend(c.to_lowercase())
        } else {
            out.extend(c.to_uppercase())
        }
        inside = c.is_alphabetic();
    }
    out
}

/// `text.swapcase()`
pub(super) fn swap_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() { out.extend(c.to_lowercase()) } else { out.extend(c.to_uppercase()) }
    }
    out
}
