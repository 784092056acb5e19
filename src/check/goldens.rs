//! Sets of goldens: those built into the library, or those in a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Goldens could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// A file or folder.
    #[error("{}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// No op of this name is registered.
    #[error("no op is named `{0}`")]
    NoOp(String),
    /// A case whose data cannot be made.
    #[error("{op} {case}: {message}")]
    Case {
        /// The op.
        op: String,
        /// The case.
        case: String,
        /// What went wrong.
        message: String,
    },
}

impl GoldenError {
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.to_owned(), error }
    }
}

/// The files of a golden by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden(BTreeMap<String, Cow<'static, [u8]>>);

impl Golden {
    /// A file's bytes.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(|bytes| &**bytes)
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The digest of the defined result's bytes, if there is one.
    pub fn digest(&self) -> Option<&str> {
        std::str::from_utf8(self.file(DIGEST)?).ok().map(str::trim)
    }
}

/// The file with an op, its attributes and its operands.
pub(super) const MANIFEST: &str = "manifest.json";
/// The file with the hash of the defined result.
pub(super) const DIGEST: &str = "digest";

type Table<T> = &'static [(&'static str, T)];
type Files = Table<&'static [u8]>;

static EMBEDDED: Table<Table<Files>> = include!(concat!(env!("OUT_DIR"), "/goldens.rs"));

/// Goldens by op and case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goldens(BTreeMap<String, BTreeMap<String, Golden>>);

impl Goldens {
    /// The goldens of `goldens/` as they were when the library was built.
    pub fn embedded() -> Self {
        let golden = |files: Files| {
            Golden(files.iter().map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes))).collect())
        };
        let cases =
            |cases: Table<Files>| cases.iter().map(|(case, files)| ((*case).to_owned(), golden(files))).collect();
        Self(EMBEDDED.iter().map(|(op, list)| ((*op).to_owned(), cases(list))).collect())
    }

    /// The goldens in a folder that is laid out as `goldens/`: `<op>/reference.py` and `<op>/<case>/`.
    ///
    /// # Errors
    /// If something in it cannot be read.
    pub fn read(dir: &Path) -> Result<Self, GoldenError> {
        let ops = folders(dir)?.into_iter().filter(|(_, path)| path.join("reference.py").is_file());
        ops.map(|(op, path)| Ok((op, read_op(&path)?))).collect::<Result<_, _>>().map(Self)
    }

    /// A case's golden.
    pub fn get(&self, op: &str, case: &str) -> Option<&Golden> {
        self.0.get(op)?.get(case)
    }

    /// The ops that have a folder.
    pub fn ops(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The cases in an op's folder.
    pub fn cases(&self, op: &str) -> impl Iterator<Item = &str> {
        self.0.get(op).into_iter().flat_map(|cases| cases.keys().map(String::as_str))
    }

    /// Puts a file in its place, for tests of what is wrong with goldens.
    #[cfg(test)]
    pub(super) fn put(&mut self, op: &str, case: &str, file: &str, bytes: Vec<u8>) {
        let cases = self.0.entry(op.to_owned()).or_default();
        cases.entry(case.to_owned()).or_default().0.insert(file.to_owned(), Cow::Owned(bytes));
    }

    /// Takes a case away, for tests of what is wrong with goldens.
    #[cfg(test)]
    pub(super) fn remove(&mut self, op: &str, case: &str) {
        if let Some(cases) = self.0.get_mut(op) {
            cases.remove(case);
        }
    }
}

fn read_op(dir: &Path) -> Result<BTreeMap<String, Golden>, GoldenError> {
    let cases = folders(dir)?.into_iter().filter(|(name, _)| !name.starts_with('_'));
    cases.map(|(case, path)| Ok((case, read_case(&path)?))).collect()
}

fn read_case(dir: &Path) -> Result<Golden, GoldenError> {
    let mut files = BTreeMap::new();
    for (name, path) in entries(dir)? {
        files.insert(name, Cow::Owned(fs::read(&path).map_err(GoldenError::at(&path))?));
    }
    Ok(Golden(files))
}

fn folders(dir: &Path) -> Result<Vec<(String, PathBuf)>, GoldenError> {
    Ok(entries(dir)?.into_iter().filter(|(_, path)| path.is_dir()).collect())
}

fn entries(dir: &Path) -> Result<Vec<(String, PathBuf)>, GoldenError> {
    let entry = |e: io::Result<fs::DirEntry>| e.map(|e| (e.file_name().to_string_lossy().into_owned(), e.path()));
    fs::read_dir(dir).and_then(|list| list.map(entry).collect()).map_err(GoldenError::at(dir))
}
