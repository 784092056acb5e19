//! Joining a model's parts.
//!
//! After each part a line `PACKAGE LENGTH` goes to the record: so much of the file is whole. The next attempt goes on
//! behind the last whole part, and the hash of the model shows whether the record was right.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::{PullError, at};
use super::scratch::Scratch;
use super::sha256::Hasher;

/// The parts of a model that are there, one behind the other in one file.
pub(super) struct Joined {
    scratch: Scratch,
    path: PathBuf,
    file: File,
    hasher: Hasher,
    taken: usize,
}

impl Joined {
    /// What is there of the parts of `packages`.
    pub fn open(mut scratch: Scratch, packages: &[&str]) -> Result<Self, PullError> {
        let path = scratch.path().join("joined");
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(at(&path))?;
        let mut hasher = Hasher::default();
        let taken = go_on(scratch.record(), &mut file, &mut hasher, packages).map_err(at(&path))?;
        scratch.keep(taken > 0);
        Ok(Self { scratch, path, file, hasher, taken })
    }

    /// How many packages' parts are there.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// An empty folder for the next package. Each has its own: pip may go on for a while when vt was stopped.
    pub fn folder(&self) -> Result<PathBuf, PullError> {
        let folder = self.scratch.path().join(format!("part-{}", self.taken + 1));
        if folder.is_dir() {
            fs::remove_dir_all(&folder).map_err(at(&folder))?;
        }
        fs::create_dir(&folder).map_err(at(&folder))?;
        Ok(folder)
    }

    /// Adds the part of the next package.
    pub fn add(&mut self, package: &str, part: &Path) -> Result<(), PullError> {
        let from = File::open(part).map_err(at(part))?;
        self.hasher.copy(from, &mut self.file).map_err(at(&self.path))?;
        let len = self.file.stream_position().map_err(at(&self.path))?;
        let mut record = self.scratch.record();
        record.write_all(format!("{package} {len}\n").as_bytes()).map_err(at(self.scratch.path()))?;
        self.taken += 1;
        self.scratch.keep(true);
        Ok(())
    }

    /// Moves the file to its place if its hash is `sha256`. The folder goes away in either case.
    pub fn place(mut self, path: &Path, sha256: &str) -> Result<(), PullError> {
        self.scratch.keep(false);
        let found = self.hasher.finish();
        if found != sha256 {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(PullError::Hash { file, expected: sha256.into(), found });
        }
        fs::rename(&self.path, path).map_err(at(path))
    }
}

/// Finds the packages whose parts are whole, as the record says; the record and the file end behind them.
fn go_on(mut record: &File, file: &mut File, hasher: &mut Hasher, packages: &[&str]) -> io::Result<usize> {
    let mut text = Vec::new();
    record.read_to_end(&mut text)?;
    let there = file.metadata()?.len();
    let lines = text.split_inclusive(|byte| *byte == b'\n').zip(packages);
    let whole = lines.map_while(|(line, package)| Some((line.len(), length(line, package).filter(|l| *l <= there)?)));
    let (mut taken, mut kept, mut len) = (0, 0, 0);
    for (line, up_to) in whole {
        (taken, kept, len) = (taken + 1, kept + line as u64, up_to);
    }
    record.set_len(kept)?;
    record.seek(SeekFrom::Start(kept))?;
    file.set_len(len)?;
    hasher.copy(file, io::sink())?;
    Ok(taken)
}

/// The length in a line of the record about that package.
fn length(line: &[u8], package: &str) -> Option<u64> {
    let line = str::from_utf8(line).ok()?;
    line.strip_suffix('\n')?.strip_prefix(package)?.strip_prefix(' ')?.parse().ok()
}
