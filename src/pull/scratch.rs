//! A folder for what is not done yet.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{PullError, at};

/// A folder beside the models that goes away.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub fn new(models: &Path) -> Result<Self, PullError> {
        let folder = models.join(format!(".pull-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays behind, and harms nothing.
        let _ = fs::remove_dir_all(&self.0);
    }
}
