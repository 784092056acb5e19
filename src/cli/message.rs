//! What is said on standard error.

use std::io::{self, Write};

use vt_gguf::printable;

/// The most characters of a message. Longer ones repeat what a file holds.
const LONGEST: usize = 2000;

/// Says something in one line, whatever a file made it hold.
pub(super) fn say(kind: &str, what: &str) {
    // There is no one to tell if this fails.
    let _ = writeln!(io::stderr(), "{kind}: {}", line(what));
}

/// A text as one line that a terminal shows as it is.
fn line(text: &str) -> String {
    let words = text.lines().flat_map(|line| [" ", line.trim()]).skip(1).flat_map(str::chars);
    let mut shown = words.map(printable);
    let mut line: String = shown.by_ref().take(LONGEST).collect();
    if shown.next().is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(line("what is wrong"), "what is wrong");
        assert_eq!(line("a\n  b\r\nc \n"), "a b c");
        assert_eq!(line("\u{1b}[31mred\0"), "\u{fffd}[31mred\u{fffd}");
        assert_eq!(line("a\u{1b}b\rc\u{85}d"), "a\u{fffd}b\u{fffd}c\u{fffd}d");
        assert_eq!(line("a\u{202e}b\u{2066}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(line(""), "");
    }

    #[test]
    fn a_message_has_an_end() {
        assert_eq!(line(&"e".repeat(LONGEST)), "e".repeat(LONGEST));
        assert_eq!(line(&"\u{e9}".repeat(LONGEST + 1)), "\u{e9}".repeat(LONGEST) + "...");
    }
}
