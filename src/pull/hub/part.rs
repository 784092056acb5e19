//! What there is of a file.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::super::error::{PullError, at};
use super::super::sha256::Hasher;

/// A file that is being loaded, by one process at a time. It outlives an attempt that is interrupted.
pub(super) struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    /// The part at `path`, which may be empty.
    pub fn open(path: PathBuf) -> Result<Self, PullError> {
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(at(&path))?;
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(at(&path))?;
        // Some file systems know no locks: what two processes make of a file there has a wrong hash.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(PullError::Busy { path });
        }
        Ok(Self { path, file })
    }

    /// The bytes that are there.
    pub fn len(&self) -> Result<u64, PullError> {
        Ok(self.file.metadata().map_err(at(&self.path))?.len())
    }

    /// Keeps the first bytes only, and goes on behind them.
    pub fn go_on_at(&mut self, len: u64) -> Result<(), PullError> {
        let moved = self.file.set_len(len).and_then(|()| self.file.seek(SeekFrom::Start(len)));
        moved.map(drop).map_err(at(&self.path))
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), PullError> {
        self.file.write_all(bytes).map_err(at(&self.path))
    }

    pub fn sha256(&mut self) -> Result<String, PullError> {
        self.file.rewind().map_err(at(&self.path))?;
        let mut hasher = Hasher::default();
        hasher.copy(&mut self.file, std::io::sink()).map_err(at(&self.path))?;
        Ok(hasher.finish())
    }

    /// Moves the whole file to its place.
    pub fn place(self, path: &Path) -> Result<(), PullError> {
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(at(path))?;
        fs::rename(&self.path, path).map_err(at(path))
    }

    /// Removes what is not the file.
    pub fn remove(self) -> Result<(), PullError> {
        fs::remove_file(&self.path).map_err(at(&self.path))
    }
}
