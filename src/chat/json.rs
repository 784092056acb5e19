//! The filter `tojson` as transformers defines it: Python's `json.dumps`, which escapes neither HTML nor Unicode.

use std::fmt::{self, Write};

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};

use super::bounded::Bounded;
use super::python::{DEPTH, write_number};

/// How `json.dumps` is asked to write.
struct Style {
    ascii: bool,
    /// What a level is indented with; `None` for everything on one line.
    indent: Option<String>,
    /// Between items, and between key and value.
    separators: [String; 2],
    sorted: bool,
}

/// `value | tojson(ensure_ascii=False, indent=None, separators=None, sort_keys=False)`, the last two only by name.
pub(super) fn tojson(
    state: &State<'_, '_>,
    value: &Value,
    ascii: Option<bool>,
    indent: Option<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let indent = indent_text(indent.or(named.get("indent")?))?;
    let style = Style {
        ascii: ascii.or(named.get("ensure_ascii")?).unwrap_or(false),
        separators: separator_texts(named.get("separators")?, indent.is_some())?,
        indent,
        sorted: named.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
    };
    named.assert_all_used()?;
    let mut out = Bounded::new(state);
    let written = style.write(&mut out, value, 0);
    out.finish(written.map_err(|_| "not a value that JSON has, or lists and maps too deep in each other"))
}

fn indent_text(indent: Option<Value>) -> Result<Option<String>, Error> {
    match indent.filter(|indent| !indent.is_none()) {
        None => Ok(None),
        Some(text) if text.as_str().is_some() => Ok(text.as_str().map(str::to_owned)),
        Some(number) => {
            let width = i64::try_from(number)?.clamp(0, 100);
            Ok(Some(" ".repeat(width as usize)))
        }
    }
}

fn separator_texts(separators: Option<Value>, indented: bool) -> Result<[String; 2], Error> {
    match separators.filter(|separators| !separators.is_none()) {
        None => Ok([if indented { "," } else { ", " }.to_owned(), ": ".to_owned()]),
        Some(pair) => {
            let texts: Option<Vec<String>> = pair.try_iter()?.map(|text| text.as_str().map(str::to_owned)).collect();
            let wrong = || Error::new(ErrorKind::InvalidOperation, "separators: expected two strings");
            texts.and_then(|texts| texts.try_into().ok()).ok_or_else(wrong)
        }
    }
}

impl Style {
    fn write(&self, out: &mut dyn Write, value: &Value, depth: usize) -> fmt::Result {
        if depth > DEPTH {
            return Err(fmt::Error);
        }
        match value.kind() {
            ValueKind::None => out.write_str("null"),
            ValueKind::Bool => out.write_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => write_json_number(out, value),
            ValueKind::String => self.write_text(out, value.as_str().unwrap_or_default()),
            ValueKind::Map => self.write_map(out, value, depth),
            ValueKind::Seq => {
                let items: Vec<Value> = value.try_iter().map_err(|_| fmt::Error)?.collect();
                self.write_items(out, ['[', ']'], &items, depth, |out, item| self.write(out, item, depth + 1))
            }
            _ => Err(fmt::Error),
        }
    }

    fn write_map(&self, out: &mut dyn Write, value: &Value, depth: usize) -> fmt::Result {
        let mut keys: Vec<Value> = value.try_iter().map_err(|_| fmt::Error)?.collect();
        if self.sorted {
            keys.sort();
        }
        self.write_items(out, ['{', '}'], &keys, depth, |out, key| {
            self.write_key(out, key)?;
            out.write_str(&self.separators[1])?;
            self.write(out, &value.get_item(key).map_err(|_| fmt::Error)?, depth + 1)
        })
    }

    /// A key: strings as they are, numbers, true, false and null as strings.
    fn write_key(&self, out: &mut dyn Write, key: &Value) -> fmt::Result {
        match key.kind() {
            ValueKind::String => self.write(out, key, 0),
            ValueKind::Number | ValueKind::Bool | ValueKind::None => {
                out.write_char('"')?;
                self.write(out, key, 0)?;
                out.write_char('"')
            }
            _ => Err(fmt::Error),
        }
    }

    fn write_items(
        &self,
        out: &mut dyn Write,
        [open, close]: [char; 2],
        items: &[Value],
        depth: usize,
        mut each: impl FnMut(&mut dyn Write, &Value) -> fmt::Result,
    ) -> fmt::Result {
        out.write_char(open)?;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.write_str(&self.separators[0])?;
            }
            self.new_line(out, depth + 1)?;
            each(out, item)?;
        }
        if !items.is_empty() {
            self.new_line(out, depth)?;
        }
        out.write_char(close)
    }

    fn new_line(&self, out: &mut dyn Write, depth: usize) -> fmt::Result {
        let Some(indent) = &self.indent else { return Ok(()) };
        out.write_char('\n')?;
        (0..depth).try_for_each(|_| out.write_str(indent))
    }

    fn write_text(&self, out: &mut dyn Write, text: &str) -> fmt::Result {
        out.write_char('"')?;
        for c in text.chars() {
            match c {
                '"' => out.write_str("\\\"")?,
                '\\' => out.write_str("\\\\")?,
                '\n' => out.write_str("\\n")?,
                '\r' => out.write_str("\\r")?,
                '\t' => out.write_str("\\t")?,
                '\x08' => out.write_str("\\b")?,
                '\x0c' => out.write_str("\\f")?,
                c if c < ' ' || (self.ascii && c > '~') => {
                    c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?;
                }
                c => out.write_char(c)?,
            }
        }
        out.write_char('"')
    }
}

fn write_json_number(out: &mut dyn Write, value: &Value) -> fmt::Result {
    let number = f64::try_from(value.clone()).unwrap_or(0.0);
    match number {
        _ if value.is_integer() || number.is_finite() => write_number(out, value),
        number if number.is_nan() => out.write_str("NaN"),
        number => out.write_str(if number > 0.0 { "Infinity" } else { "-Infinity" }),
    }
}
