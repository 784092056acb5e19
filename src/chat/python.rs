//! Values written as Python writes them.

use std::fmt::{self, Write};

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, State};

use super::bounded::Bounded;

/// How deep lists and maps may lie in each other. Python's own limit is about ten times that.
pub(super) const DEPTH: usize = 100;

/// What is said of deeper ones.
pub(super) const TOO_DEEP: &str = "lists and maps too deep in each other";

/// `str(value)`
pub(super) fn text(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    let mut out = Bounded::new(state);
    let written = write_str(&mut out, value);
    out.finish(written.map_err(|_| TOO_DEEP))
}

/// `str(value)` of each, one behind the other.
pub(super) fn joined(state: &State<'_, '_>, values: [&Value; 2]) -> Result<Value, Error> {
    let mut out = Bounded::new(state);
    let written = values.into_iter().try_for_each(|value| write_str(&mut out, value));
    out.finish(written.map_err(|_| TOO_DEEP)).map(Value::from)
}

/// Writes `str(value)`.
pub(super) fn write_str(out: &mut dyn Write, value: &Value) -> fmt::Result {
    match value.as_str() {
        Some(text) => out.write_str(text),
        None if value.is_undefined() => Ok(()),
        None => write_repr(out, value, DEPTH),
    }
}

/// Writes `repr(value)` with lists and maps up to `depth` in each other; deeper ones are an error.
fn write_repr(out: &mut dyn Write, value: &Value, depth: usize) -> fmt::Result {
    let deeper = depth.checked_sub(1).ok_or(fmt::Error)?;
    match value.kind() {
        ValueKind::Undefined => out.write_str("Undefined"),
        ValueKind::Number => write_number(out, value),
        ValueKind::String => write_quoted(out, value.as_str().unwrap_or_default()),
        ValueKind::Map => write_items(out, ["{", "}"], value, |out, key| {
            write_repr(out, &key, deeper)?;
            out.write_str(": ")?;
            write_repr(out, &value.get_item(&key).map_err(|_| fmt::Error)?, deeper)
        }),
        ValueKind::Seq | ValueKind::Iterable => {
            let one = value.len() == Some(1);
            let brackets = if !value.is_tuple() {
                ["[", "]"]
            } else if one {
                ["(", ",)"]
            } else {
                ["(", ")"]
            };
            write_items(out, brackets, value, |out, item| write_repr(out, &item, deeper))
        }
        _ => write!(out, "{value}"),
    }
}

fn write_items(
    out: &mut dyn Write,
    [open, close]: [&str; 2],
    values: &Value,
    mut each: impl FnMut(&mut dyn Write, Value) -> fmt::Result,
) -> fmt::Result {
    out.write_str(open)?;
    for (i, value) in values.try_iter().map_err(|_| fmt::Error)?.enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        each(out, value)?;
    }
    out.write_str(close)
}

/// Writes `repr` of a number, which is the same as its `str`.
pub(super) fn write_number(out: &mut dyn Write, value: &Value) -> fmt::Result {
    match f64::try_from(value.clone()) {
        Ok(number) if !value.is_integer() => write_float(out, number),
        _ => write!(out, "{value}"),
    }
}

/// Writes `float.__repr__`: the fewest digits that tell the number, with an exponent if the point lies far from them.
fn write_float(out: &mut dyn Write, number: f64) -> fmt::Result {
    if number.is_nan() {
        return out.write_str("nan");
    }
    if number.is_infinite() {
        return out.write_str(if number > 0.0 { "inf" } else { "-inf" });
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        write!(out, "{number:?}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs())
    }
}

/// Writes a string in quotes, single ones unless it has only those.
fn write_quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\\' => out.write_str("\\\\")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if is_printable(c) => out.write_char(c)?,
            c if u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c))?,
            c if u32::from(c) < 0x1_0000 => write!(out, "\\u{:04x}", u32::from(c))?,
            c => write!(out, "\\U{:08x}", u32::from(c))?,
        }
    }
    out.write_char(quote)
}

/// `str.isprintable` of one character, as far as the standard library knows characters: controls, separators other
/// than the space, and private characters are not.
fn is_printable(c: char) -> bool {
    let separator = c.is_whitespace() && c != ' ';
    let format = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}');
    let private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    !(c.is_control() || separator || format || private)
}

/// `str.isspace` of one character.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}
