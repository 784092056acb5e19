//! Python's methods of strings, lists and maps. Those that are missing here are [`minijinja_contrib::pycompat`]'s.

use minijinja::value::{Kwargs, Tuple, Value, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State};
use minijinja_contrib::pycompat;

use super::bounded::Bounded;
use super::python::is_space;
use super::strings;
use super::weigh::{weigh, weigh_objects};

/// Calls a method that minijinja does not know.
pub(super) fn call(state: &mut State<'_, '_>, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if value.kind() == ValueKind::Seq && matches!(name, "count" | "index") {
        weigh(state, value)?;
    }
    weigh_objects(state, args)?;
    let own = match (value.kind(), value.as_str()) {
        (_, Some(text)) => text_method(state, text, name, args)?,
        (ValueKind::Seq, _) if name == "index" => Some(position(value, args)?),
        (ValueKind::Map, _) if name == "copy" => Some(value.clone()),
        _ => None,
    };
    own.map_or_else(|| pycompat::unknown_method_callback(state, value, name, args), Ok)
}

/// A string's method; `None` if it is not one of these.
fn text_method(state: &State<'_, '_>, text: &str, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let all = |is: fn(char) -> bool| Value::from(!text.is_empty() && text.chars().all(is));
    Ok(Some(match name {
        "strip" => strip(text, args, [true, true])?,
        "lstrip" => strip(text, args, [true, false])?,
        "rstrip" => strip(text, args, [false, true])?,
        "removeprefix" => without(text, args, |text, part| text.strip_prefix(part))?,
        "removesuffix" => without(text, args, |text, part| text.strip_suffix(part))?,
        "split" => split(text, args, strings::split, strings::words)?,
        "rsplit" => split(text, args, strings::split_back, strings::words_back)?,
        "partition" => partition(text, args, true)?,
        "rpartition" => partition(text, args, false)?,
        "splitlines" => lines(text, args)?,
        "join" => join(state, text, args)?,
        "isspace" => all(is_space),
        "isdigit" | "isdecimal" => all(|c| c.is_ascii_digit()),
        "title" => strings::title(text).into(),
        "swapcase" => strings::swap_case(text).into(),
        "casefold" => text.to_lowercase().into(),
        "index" => found(text, text.find(from_args::<(&str,)>(args)?.0))?,
        "rindex" => found(text, text.rfind(from_args::<(&str,)>(args)?.0))?,
        _ => return Ok(None),
    }))
}

fn wrong(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

/// `strip`, `lstrip` and `rstrip`: of the characters given, or of white space.
fn strip(text: &str, args: &[Value], [front, back]: [bool; 2]) -> Result<Value, Error> {
    let (chars,): (Option<Value>,) = from_args(args)?;
    let chars = chars.filter(|chars| !chars.is_none());
    let chars =
        chars.as_ref().map(|chars| chars.as_str().ok_or_else(|| wrong("strip: expected a string"))).transpose()?;
    let goes = |c: char| chars.map_or_else(|| is_space(c), |chars| chars.contains(c));
    let text = if front { text.trim_start_matches(goes) } else { text };
    Ok((if back { text.trim_end_matches(goes) } else { text }).into())
}

/// `removeprefix` and `removesuffix`
fn without(text: &str, args: &[Value], cut: for<'a> fn(&'a str, &str) -> Option<&'a str>) -> Result<Value, Error> {
    let (part,): (&str,) = from_args(args)?;
    Ok(cut(text, part).unwrap_or(text).into())
}

type Split<'a> = fn(&'a str, &str, usize) -> Vec<&'a str>;
type Words<'a> = fn(&'a str, usize) -> Vec<&'a str>;

/// `split` and `rsplit`: at a separator, or into words.
fn split<'a>(text: &'a str, args: &[Value], at: Split<'a>, words: Words<'a>) -> Result<Value, Error> {
    let (separator, most, named): (Option<Value>, Option<i64>, Kwargs) = from_args(args)?;
    let separator = separator.or(named.get("sep")?).filter(|separator| !separator.is_none());
    let most = most.or(named.get("maxsplit")?).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    named.assert_all_used()?;
    let parts = match separator.as_ref().map(|separator| separator.as_str().filter(|text| !text.is_empty())) {
        None => words(text, most),
        Some(Some(separator)) => at(text, separator, most),
        Some(None) => return Err(wrong("split: expected a separator that is a string and not empty")),
    };
    Ok(parts.into_iter().map(Value::from).collect())
}

/// `partition` and `rpartition`: what is before the separator, the separator, and what is behind it.
fn partition(text: &str, args: &[Value], first: bool) -> Result<Value, Error> {
    let (separator,): (&str,) = from_args(args)?;
    let parts = if first { text.split_once(separator) } else { text.rsplit_once(separator) };
    let parts = match parts {
        Some((before, behind)) => [before, separator, behind],
        None if first => [text, "", ""],
        None => ["", "", text],
    };
    Ok(Tuple::from(parts.map(Value::from)).into())
}

fn lines(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (keep, named): (Option<bool>, Kwargs) = from_args(args)?;
    let keep = keep.or(named.get("keepends")?).unwrap_or(false);
    named.assert_all_used()?;
    Ok(strings::lines(text, keep).into_iter().map(Value::from).collect())
}

/// `join`: of strings, as in Python.
fn join(state: &State<'_, '_>, separator: &str, args: &[Value]) -> Result<Value, Error> {
    let (values,): (&Value,) = from_args(args)?;
    let mut out = Bounded::new(state);
    for (i, value) in values.try_iter()?.enumerate() {
        let text = value.as_str().ok_or_else(|| wrong("join: expected strings"))?;
        out.push(if i == 0 { "" } else { separator })?;
        out.push(text)?;
    }
    Ok(out.finish(Ok(()))?.into())
}

/// The character that a byte position is at.
fn found(text: &str, place: Option<usize>) -> Result<Value, Error> {
    let place = place.ok_or_else(|| wrong("index: not found"))?;
    Ok(text[..place].chars().count().into())
}

/// `list.index`
fn position(list: &Value, args: &[Value]) -> Result<Value, Error> {
    let (wanted,): (&Value,) = from_args(args)?;
    let place = list.try_iter()?.position(|item| item == *wanted);
    place.map(Value::from).ok_or_else(|| wrong("index: not in the list"))
}
