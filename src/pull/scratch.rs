//! A folder for what is not done yet.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::error::{PullError, at};

/// A folder beside the models, of one process at a time. It goes away with this unless it is kept; that of a process
/// that is stopped stays, and the next one finds it.
pub(super) struct Scratch {
    folder: PathBuf,
    /// What is done of the work, in the file that is locked.
    record: File,
    keep: bool,
}

impl Scratch {
    /// The folder for the work of that name.
    pub fn new(models: &Path, name: &str) -> Result<Self, PullError> {
        let folder = models.join(format!(".pull-{name}"));
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let path = folder.join("record");
        let record = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let record = record.map_err(at(&path))?;
        // Some file systems know no locks: what two processes make of a file there has a wrong hash.
        if let Err(TryLockError::WouldBlock) = record.try_lock() {
            return Err(PullError::Busy { path: folder });
        }
        Ok(Self { folder, record, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    pub fn record(&self) -> &File {
        &self.record
    }

    /// Leaves the folder to the next attempt.
    pub fn keep(&mut self, keep: bool) {
        self.keep = keep;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // What cannot be removed stays behind, and harms nothing.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
