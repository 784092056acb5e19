//! Models of a Hugging Face hub.

mod client;
mod download;
mod error;
mod name;
mod part;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::Step;
use super::error::PullError;

pub(crate) use download::address;
pub use error::{HubError, HubFault};
pub use name::{BadName, HubModel};

pub(super) use client::Limits;

/// What a name of a hub's model starts with.
pub(super) const PREFIX: &str = "hf:";

impl HubModel {
    /// Where its file is in the folder of models.
    fn path(&self, models: &Path, file: &str) -> PathBuf {
        models.join("hf").join(&self.owner).join(&self.repo).join(file)
    }

    /// Where the file that was named is, if all of the model's were fetched.
    pub(super) fn installed(&self, models: &Path) -> Option<PathBuf> {
        let all = self.files().iter().all(|file| self.path(models, file).is_file());
        all.then(|| self.path(models, &self.file))
    }

    /// Fetches those of the model's files that are not there.
    pub(super) fn pull(
        &self,
        models: &Path,
        endpoint: Option<&str>,
        limits: Limits,
        step: &mut dyn FnMut(Step<'_>),
    ) -> Result<PathBuf, PullError> {
        let files = self.files();
        let hub = download::Hub::new(self, models, endpoint, limits)?;
        for (file, number) in files.iter().zip(1..) {
            let path = self.path(models, file);
            if !path.is_file() {
                step(Step::Download { name: file, number, of: files.len() });
                hub.fetch(file, &path, step)?;
            }
        }
        hub.clear();
        Ok(self.path(models, &self.file))
    }
}
