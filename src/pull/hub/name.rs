//! Names of a hub's models.

use thiserror::Error;
use vt_gguf::printable;

/// A GGUF file in a repository of a hub, and the others of its set if it is one of a set of split files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubModel {
    pub(super) owner: String,
    pub(super) repo: String,
    /// The path in the repository.
    pub(super) file: String,
}

/// A name that starts with `hf:`, but names no GGUF file of a hub.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expected hf:OWNER/REPO/FILE.gguf, found `hf:{found}`")]
pub struct BadName {
    found: String,
}

/// The end of the name of a file of a set: `-00001-of-00003.gguf`.
const SET_END: usize = "-00001-of-00003.gguf".len();

/// The longest name, in bytes: with the folder of models before it, it is still a path.
const LONGEST: usize = 1000;

/// The longest part of a path, in bytes, in the usual file systems.
const LONGEST_PART: usize = 255;

/// The most characters of a name that a message repeats.
const SHOWN: usize = 100;

impl HubModel {
    /// The model of a name without its prefix.
    pub(crate) fn parse(name: &str) -> Result<Self, BadName> {
        let bad = || BadName { found: shown(name) };
        let mut parts = name.splitn(3, '/');
        let (Some(owner), Some(repo), Some(file)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad());
        };
        let whole = name.split('/').all(is_plain) && file.len() > ".gguf".len() && file.ends_with(".gguf");
        if !whole || name.len() > LONGEST {
            return Err(bad());
        }
        Ok(Self { owner: owner.into(), repo: repo.into(), file: file.into() })
    }

    /// The files to fetch: the named one, or all of its set.
    pub(super) fn files(&self) -> Vec<String> {
        match self.set() {
            Some((prefix, count)) => (1..=count).map(|no| format!("{prefix}-{no:05}-of-{count:05}.gguf")).collect(),
            None => vec![self.file.clone()],
        }
    }

    /// How the names of the set's files start, and how many there are.
    fn set(&self) -> Option<(&str, u16)> {
        let (prefix, end) = self.file.split_at_checked(self.file.len().checked_sub(SET_END)?)?;
        let (number, count) = end.strip_prefix('-')?.strip_suffix(".gguf")?.split_once("-of-")?;
        let digits = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(number) || !digits(count) {
            return None;
        }
        let (number, count): (u16, u16) = (number.parse().ok()?, count.parse().ok()?);
        (1..=count).contains(&number).then_some((prefix, count))
    }
}

/// A name as a message may show it: what a terminal would act on is seen, and so is what is left out.
fn shown(name: &str) -> String {
    let more = if name.chars().nth(SHOWN).is_some() { "..." } else { "" };
    name.chars().take(SHOWN).map(printable).chain(more.chars()).collect()
}

/// Whether a part of a path means itself, in a URL and in any file system.
fn is_plain(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'=' | b'@');
    (1..=LONGEST_PART).contains(&part.len()) && !part.starts_with('.') && part.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_an_owner_a_repository_and_a_file() {
        let model = HubModel::parse("some-owner/Repo_1.5/sub/model.Q4_K_M.gguf").unwrap();
        assert_eq!((&*model.owner, &*model.repo, &*model.file), ("some-owner", "Repo_1.5", "sub/model.Q4_K_M.gguf"));
        assert_eq!(model.files(), ["sub/model.Q4_K_M.gguf"]);
        let bad = ["", "a", "a/b", "a/b/", "a/b/c", "a/b/.gguf", "a/b/c.bin", "/b/c.gguf", "a//c.gguf", "a/b/c d.gguf"];
        let outside = ["../b/c.gguf", "a/../c.gguf", "a/b/../c.gguf", "a/b/.c.gguf", "a/b/c\\d.gguf", "a/b/c?d.gguf"];
        for name in bad.into_iter().chain(outside) {
            let message = HubModel::parse(name).unwrap_err().to_string();
            assert_eq!(message, format!("expected hf:OWNER/REPO/FILE.gguf, found `hf:{name}`"));
        }
    }

    #[test]
    fn a_message_shows_what_a_name_has_and_not_too_much() {
        let message = |name: &str| HubModel::parse(name).unwrap_err().to_string();
        assert!(message("a/b/c\u{1b}.gguf").ends_with("found `hf:a/b/c\u{fffd}.gguf`"));
        assert!(message("a/b/c\n\u{202e}.gguf").ends_with("found `hf:a/b/c\u{fffd}\u{fffd}.gguf`"));
        assert!(message(&"e\u{301}".repeat(100_000)).ends_with("e\u{301}...`"));
        assert!(message(&"e".repeat(100_000)).len() < 200);
    }

    #[test]
    fn a_name_fits_into_a_path() {
        let part = "e".repeat(250);
        assert!(HubModel::parse(&format!("a/b/{part}.gguf")).is_ok());
        assert!(HubModel::parse(&format!("a/b/{part}e.gguf")).is_err());
        assert!(HubModel::parse(&format!("a/b/{part}/{part}/{part}/{}.gguf", "e".repeat(238))).is_ok());
        assert!(HubModel::parse(&format!("a/b/{part}/{part}/{part}/{}.gguf", "e".repeat(239))).is_err());
    }

    #[test]
    fn a_file_of_a_set_stands_for_all() {
        let files = |name: &str| HubModel::parse(&format!("a/b/{name}")).unwrap().files();
        let set = ["s/m-00001-of-00003.gguf", "s/m-00002-of-00003.gguf", "s/m-00003-of-00003.gguf"];
        for name in set {
            assert_eq!(files(name), set);
        }
        for alone in ["m-00004-of-00003.gguf", "m-00000-of-00003.gguf", "m-1-of-3.gguf", "m-0000a-of-00003.gguf"] {
            assert_eq!(files(alone), [alone]);
        }
        assert_eq!(files("m-00001-of-99999.gguf"), ["m-00001-of-99999.gguf"]);
    }
}
