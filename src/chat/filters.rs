//! Filters and tests whose results differ from jinja2's in minijinja, or are missing there.

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, filters};

use super::bounded::Bounded;
use super::{python, strings};

/// The widest indentation.
const MAX_INDENT: usize = 100;

/// Puts them in place of minijinja's.
pub(super) fn add(env: &mut Environment<'_>) {
    env.add_filter("string", string);
    env.add_filter("trim", trim);
    env.add_filter("int", int);
    env.add_filter("float", float);
    env.add_filter("indent", indent);
    env.add_filter("default", default);
    env.add_filter("d", default);
    env.add_filter("escape", escape);
    env.add_filter("e", escape);
    env.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    env.add_test("sequence", |value: &Value| {
        matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map | ValueKind::Undefined)
    });
    env.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
}

/// `value | default(default_value='', boolean=False)`
fn default(value: &Value, other: Option<Value>, boolean: Option<bool>, named: Kwargs) -> Result<Value, Error> {
    let other = other.or(named.get("default_value")?).unwrap_or_else(|| "".into());
    let boolean = boolean.or(named.get("boolean")?).unwrap_or(false);
    named.assert_all_used()?;
    let stays = if boolean { value.is_true() } else { !value.is_undefined() };
    Ok(if stays { value.clone() } else { other })
}

fn string(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    python::text(state, value)
}

/// `value | escape`, as markupsafe escapes.
fn escape(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    let text = python::text(state, value)?;
    let mut out = Bounded::new(state);
    for part in text.split_inclusive(['&', '<', '>', '"', '\'']) {
        let last = part.chars().next_back();
        let escaped = match last {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&#34;",
            Some('\'') => "&#39;",
            _ => "",
        };
        out.push(if escaped.is_empty() { part } else { &part[..part.len() - 1] })?;
        out.push(escaped)?;
    }
    out.finish(Ok(()))
}

fn trim(state: &State<'_, '_>, value: &Value, chars: Option<&str>) -> Result<String, Error> {
    let text = python::text(state, value)?;
    Ok(text.trim_matches(|c| chars.map_or_else(|| python::is_space(c), |chars| chars.contains(c))).to_owned())
}

/// `value | int(default=0, base=10)`
fn int(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    base: Option<u32>,
    named: Kwargs,
) -> Result<Value, Error> {
    let default = default.or(named.get("default")?).unwrap_or_else(|| 0.into());
    let text = value.as_str().map(|text| Value::from(text.trim_matches(python::is_space)));
    let value = text.as_ref().unwrap_or(value);
    filters::int(state, value, Some(default.clone()), base, named).or(Ok(default))
}

/// `value | float(default=0.0)`
fn float(value: &Value, default: Option<Value>, named: Kwargs) -> Result<Value, Error> {
    let default = default.or(named.get("default")?).unwrap_or_else(|| 0.0.into());
    named.assert_all_used()?;
    let number = match (value.kind(), value.as_str()) {
        (_, Some(text)) => text.trim_matches(python::is_space).parse().ok(),
        (ValueKind::Bool, _) => Some(if value.is_true() { 1.0 } else { 0.0 }),
        _ => f64::try_from(value.clone()).ok(),
    };
    Ok(number.map_or(default, Value::from))
}

/// `value | indent(width=4, first=False, blank=False)`; the width may be the text to put in front.
fn indent(
    state: &State<'_, '_>,
    text: &str,
    width: Option<Value>,
    first: Option<bool>,
    named: Kwargs,
) -> Result<String, Error> {
    let width = width.or(named.get("width")?).unwrap_or_else(|| 4.into());
    let first = first.or(named.get("first")?).unwrap_or(false);
    let blank = named.get::<Option<bool>>("blank")?.unwrap_or(false);
    named.assert_all_used()?;
    let front = match (width.as_str(), width.as_usize()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(width)) if width <= MAX_INDENT => " ".repeat(width),
        _ => return Err(Error::new(ErrorKind::InvalidOperation, "indent: expected a width of up to 100")),
    };
    let mut out = Bounded::new(state);
    // The additional end makes an empty last line count.
    for (i, line) in strings::lines(&format!("{text}\n"), false).into_iter().enumerate() {
        out.push(if i == 0 { "" } else { "\n" })?;
        let indented = if i == 0 { first } else { blank || !line.is_empty() };
        out.push(if indented { &front } else { "" })?;
        out.push(line)?;
    }
    out.finish(Ok(()))
}
