//! Finding files in folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{PullError, at};

/// The files in a folder, not in those below it.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, PullError> {
    let entries = entries(folder)?;
    Ok(entries.into_iter().filter(|path| path.is_file()).collect())
}

/// What is in a folder.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, PullError> {
    let list = fs::read_dir(folder).and_then(|list| list.map(|entry| entry.map(|e| e.path())).collect());
    list.map_err(at(folder))
}

/// The largest file in a folder and those below it.
pub(super) fn largest(folder: &Path) -> Result<Option<PathBuf>, PullError> {
    let mut found = None;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            let data = fs::symlink_metadata(&path).map_err(at(&path))?;
            if data.is_dir() {
                folders.push(path);
            } else if data.is_file() && found.as_ref().is_none_or(|(bytes, _)| data.len() > *bytes) {
                found = Some((data.len(), path));
            }
        }
    }
    Ok(found.map(|(_, path)| path))
}
