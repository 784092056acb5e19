//! JSON on standard output.

use std::fmt::Write;

use serde_json::Value;
use vt_gguf::printable;

/// A value in one line.
pub(super) fn line(value: &Value) -> String {
    escaped(&format!("{value}\n"))
}

/// A value in as many lines as it has parts.
pub(super) fn lines(value: &Value) -> String {
    escaped(&format!("{value:#}\n"))
}

/// JSON with escapes for what a terminal would act on, whatever a file made it hold. Outside of texts there is nothing
/// of the kind but the ends of lines.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || printable(c) == c {
            out.push(c);
        } else {
            // Writing to a string does not fail.
            let _ = c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_means_the_same() {
        let text = "a\0\u{1b}[31m\n\u{7f}\u{85}\u{9b}2J\u{61c}\u{202e}\u{2066}\u{fffd}é\u{1f600}";
        let value = serde_json::json!({ text: [text] });
        for json in [line(&value), lines(&value)] {
            assert!(
                json.ends_with('\n') && json.contains("\\u009b2J\\u061c\\u202e\\u2066\u{fffd}é\u{1f600}"),
                "{json}"
            );
            assert!(json.chars().all(|c| c == '\n' || printable(c) == c), "{json}");
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
        }
        assert_eq!((line(&value).lines().count(), lines(&value).lines().count()), (1, 5));
    }
}
