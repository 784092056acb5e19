//! The function `strftime_now`: Python's `datetime.now().strftime`, in the C locale, at a time that is given.

use jiff::civil::DateTime;
use jiff::fmt::strtime;
use minijinja::{Error, ErrorKind, Value};

/// The function for templates that are rendered at `now`.
pub(super) fn strftime_now(now: DateTime) -> Value {
    Value::from_function(move |format: &str| {
        let wrong = |why: jiff::Error| Error::new(ErrorKind::InvalidOperation, format!("strftime_now: {why}"));
        strtime::format(spelled(format), now).map_err(wrong)
    })
}

/// A format for `jiff`, where some letters mean something else or ask for a time zone, which `datetime.now()` has not.
fn spelled(format: &str) -> String {
    let mut out = String::with_capacity(format.len());
    let mut letters = format.chars();
    while let Some(c) = letters.next() {
        match (c, if c == '%' { letters.next() } else { None }) {
            ('%', Some('z' | 'Z')) => {}
            ('%', Some('f')) => out.push_str("%6f"),
            ('%', Some('c')) => out.push_str("%a %b %e %H:%M:%S %Y"),
            ('%', Some('x')) => out.push_str("%m/%d/%y"),
            ('%', Some('X')) => out.push_str("%H:%M:%S"),
            ('%', Some(letter)) => out.extend(['%', letter]),
            ('%', None) => out.push_str("%%"),
            (c, _) => out.push(c),
        }
    }
    out
}
