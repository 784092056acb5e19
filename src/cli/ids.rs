//! Token ids as arguments.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::stop::Stop;
use super::text;

/// A list of token ids: numbers between commas or white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ids(pub Vec<u32>);

impl Ids {
    /// The token ids in a file.
    pub(super) fn read(path: &Path) -> Result<Self, Stop> {
        text::read_utf8(path)?.parse().map_err(|error| Stop::failed(format!("{}: {error}", path.display())))
    }
}

/// A word that is no token id.
#[derive(Debug)]
pub(super) struct BadId(String);

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head: String = self.0.chars().take(40).filter(|c| !c.is_control()).collect();
        write!(f, "expected a token id, found `{head}`")
    }
}

impl std::error::Error for BadId {}

impl FromStr for Ids {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        words.map(|word| word.parse().map_err(|_| BadId(word.to_owned()))).collect::<Result<_, _>>().map(Ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_white_space_separate() {
        assert_eq!("1,2, 3\n4\t".parse::<Ids>().unwrap().0, [1, 2, 3, 4]);
        assert!("".parse::<Ids>().unwrap().0.is_empty());
        for bad in ["1,x", "-1", "1.5", "4294967296"] {
            assert!(bad.parse::<Ids>().is_err(), "{bad}");
        }
    }
}
