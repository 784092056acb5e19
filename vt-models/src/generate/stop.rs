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

    /// What is shown of a text, from the definition: the earliest end of a stop text counts, the longest stop text of
    /// those that end there.
    fn expected(stops: &[&str], text: &str) -> (String, bool) {
        let mut heads = (1..=text.len()).filter(|end| text.is_char_boundary(*end)).map(|end| &text[..end]);
        let longest = |head: &str| stops.iter().filter(|s| !s.is_empty() && head.ends_with(**s)).map(|s| s.len()).max();
        let found = heads.find_map(|head| longest(head).map(|length| &head[..head.len() - length]));
        (found.unwrap_or(text).to_owned(), found.is_some())
    }

    /// How many bytes of a text without a stop text need not be held back.
    fn settled(stops: &[&str], text: &str) -> usize {
        let open = |from: &usize| stops.iter().any(|stop| stop.starts_with(&text[*from..]));
        (0..text.len()).filter(|from| text.is_char_boundary(*from)).find(open).unwrap_or(text.len())
    }

    /// All texts of `length` letters.
    fn texts(length: u32) -> impl Iterator<Item = String> {
        let letter = |number: usize, place| ['a', 'b', 'é'][number / 3_usize.pow(place) % 3];
        (0..3_usize.pow(length)).map(move |number| (0..length).map(|place| letter(number, place)).collect())
    }

    #[test]
    fn every_short_text_however_it_is_cut() {
        let all_stops: [&[&str]; 8] = [
            &["ab"],
            &["aab"],
            &["aba", "bab"],
            &["abé", "b"],
            &["éa", "é"],
            &["bab", "ab", "b"],
            &["aaaa", "aa", ""],
            &["éé", "aéa", "abba"],
        ];
        for (stops, text) in all_stops.iter().flat_map(|stops| texts(6).map(move |text| (stops, text))) {
            let letters: Vec<usize> = text.char_indices().map(|(from, _)| from).skip(1).collect();
            for cuts in 0..1_u32 << letters.len() {
                let mut ends: Vec<usize> =
                    (0..letters.len()).filter(|i| (cuts >> i) & 1 == 1).map(|i| letters[i]).collect();
                ends.push(text.len());
                let pieces: Vec<&str> =
                    ends.iter().scan(0, |from, &end| Some(&text[std::mem::replace(from, end)..end])).collect();
                assert_eq!(shown(stops, &pieces), expected(stops, &text), "{stops:?} in {pieces:?}");
            }
        }
    }

    #[test]
    fn nothing_is_held_back_longer_than_it_must() {
        let stops = ["aba", "abé", "bbb"];
        let owned: Vec<String> = stops.map(str::to_owned).into();
        for text in texts(6) {
            let mut filter = StopFilter::new(&owned);
            let mut shown = 0;
            for (from, letter) in text.char_indices() {
                let head = &text[..from + letter.len_utf8()];
                if filter.push(&text[from..head.len()]) {
                    break;
                }
                shown += filter.ready().len();
                assert_eq!(shown, settled(&stops, head), "{head}");
            }
        }
    }
}
