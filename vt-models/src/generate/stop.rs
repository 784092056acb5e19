//! Texts that end generation.

/// Finds stop texts in a text that comes in pieces. Which one is found, and where, does not depend on the pieces: it is
/// the one that is complete first, of several the longest.
#[derive(Debug)]
pub(super) struct StopFilter<'a> {
    stops: &'a [String],
    /// What may still become a stop text.
    held: String,
    ready: String,
    stopped: bool,
}

impl<'a> StopFilter<'a> {
    pub fn new(stops: &'a [String]) -> Self {
        Self { stops, held: String::new(), ready: String::new(), stopped: false }
    }

    /// Adds text; whether a stop text is complete. Text after that is dropped.
    pub fn push(&mut self, text: &str) -> bool {
        self.ready.clear();
        if self.stopped {
            return true;
        }
        self.held.push_str(text);
        let stop = self.found();
        self.stopped = stop.is_some();
        let ready = stop.unwrap_or_else(|| self.held_from());
        self.ready.extend(self.held.drain(..ready));
        if self.stopped {
            self.held.clear();
        }
        self.stopped
    }

    /// What the last [`StopFilter::push`] set free.
    pub fn ready(&self) -> &str {
        &self.ready
    }

    /// What is held back, for the end of the text.
    pub fn rest(&self) -> &str {
        &self.held
    }

    /// Where the stop text starts that is complete first.
    fn found(&self) -> Option<usize> {
        let stops = self.stops.iter().filter(|stop| !stop.is_empty());
        let places = stops.filter_map(|stop| self.held.find(stop.as_str()).map(|start| (start + stop.len(), start)));
        places.min().map(|(_, start)| start)
    }

    /// Where the longest end starts that a stop text starts with.
    fn held_from(&self) -> usize {
        let starts = |from: usize| self.stops.iter().any(|stop| stop.starts_with(&self.held[from..]));
        self.held.char_indices().map(|(from, _)| from).find(|from| starts(*from)).unwrap_or(self.held.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that is shown of `pieces`, and whether a stop text ended it.
    fn shown(stops: &[&str], pieces: &[&str]) -> (String, bool) {
        let stops: Vec<String> = stops.iter().map(|s| (*s).to_owned()).collect();
        let mut filter = StopFilter::new(&stops);
        let mut all = String::new();
        let mut stopped = false;
        for piece in pieces {
            stopped = filter.push(piece);
            all += filter.ready();
        }
        all += filter.rest();
        (all, stopped)
    }

    #[test]
    fn the_text_before_the_first_complete_stop_is_shown() {
        let cases: [(&[&str], &str, &str, bool); 8] = [
            (&[], "abc", "abc", false),
            (&["bc"], "abcd", "a", true),
            (&["bd"], "abc", "abc", false),
            (&["abc", "b"], "xabc", "xa", true),
            (&["aab"], "aaab", "a", true),
            (&["cd", "bcd"], "abcd", "a", true),
            (&["é!"], "caé!x", "ca", true),
            (&["", "b"], "ab", "a", true),
        ];
        for (stops, text, expected, stopped) in cases {
            let whole = shown(stops, &[text]);
            assert_eq!(whole, (expected.to_owned(), stopped), "{stops:?} in {text}");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let pieces: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(shown(stops, &pieces), whole, "{stops:?} in {text} by letters");
        }
    }

    #[test]
    fn only_what_may_become_a_stop_is_held_back() {
        let stops = ["END".to_owned()];
        let mut filter = StopFilter::new(&stops);
        let mut push = |text: &str| (filter.push(text), filter.ready().to_owned(), filter.rest().to_owned());
        assert_eq!(push("xE"), (false, "x".to_owned(), "E".to_owned()));
        assert_eq!(push("N"), (false, String::new(), "EN".to_owned()));
        assert_eq!(push("E"), (false, "EN".to_owned(), "E".to_owned()));
        assert_eq!(push("ND!"), (true, String::new(), String::new()));
        assert_eq!(push("more"), (true, String::new(), String::new()));
    }
}
