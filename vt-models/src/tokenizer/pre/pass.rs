//! One pass over a text, and passes over the pieces of passes.

use super::chars::{self, Char};

/// One regular expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pass {
    /// An expression that matches at every place of a text, with the length of its match at the front of one.
    Words(fn(&[u8]) -> usize),
    /// An expression that matches here and there, with the length of its match at the front of a text (0: none).
    /// Its matches become pieces, and so does what lies between them.
    Isolate(fn(&[u8]) -> usize),
    /// `wanted+$`: what a text ends with becomes a piece.
    Suffix(fn(Char) -> bool),
}

/// Cuts `text` by the first pass, its pieces by the next, and so on.
pub(super) fn run_passes<'t>(passes: &[Pass], text: &'t [u8], piece: &mut dyn FnMut(&'t [u8])) {
    let Some((pass, rest)) = passes.split_first() else { return piece(text) };
    let mut next = |part| run_passes(rest, part, piece);
    match *pass {
        Pass::Words(length) => words(length, text, &mut next),
        Pass::Isolate(length) => isolate(length, text, &mut next),
        Pass::Suffix(wanted) => suffix(wanted, text, &mut next),
    }
}

fn words<'t>(length: fn(&[u8]) -> usize, mut text: &'t [u8], piece: &mut dyn FnMut(&'t [u8])) {
    while !text.is_empty() {
        let (word, rest) = text.split_at(length(text).clamp(1, text.len()));
        piece(word);
        text = rest;
    }
}

fn isolate<'t>(length: fn(&[u8]) -> usize, mut text: &'t [u8], piece: &mut dyn FnMut(&'t [u8])) {
    let mut gap = 0;
    while let Some(c) = chars::first(&text[gap..]) {
        match length(&text[gap..]) {
            0 => gap += c.len,
            matched => {
                let (between, rest) = text.split_at(gap);
                if !between.is_empty() {
                    piece(between);
                }
                piece(&rest[..matched]);
                text = &rest[matched..];
                gap = 0;
            }
        }
    }
    if !text.is_empty() {
        piece(text);
    }
}

fn suffix<'t>(wanted: fn(Char) -> bool, text: &'t [u8], piece: &mut dyn FnMut(&'t [u8])) {
    let (mut place, mut start) = (0, 0);
    while let Some(c) = chars::first(&text[place..]) {
        place += c.len;
        if !wanted(c) {
            start = place;
        }
    }
    let (before, end) = text.split_at(start);
    [before, end].into_iter().filter(|part| !part.is_empty()).for_each(piece);
}
