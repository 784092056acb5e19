//! Why a model could not be fetched.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::hub::HubError;

/// A model could not be fetched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PullError {
    /// There is no Python to run.
    #[error("models are fetched with pip, and there is no python3 to run it")]
    NoPython,
    /// Python failed.
    #[error("`python3 -m {module}` failed: {message}")]
    Python {
        /// What was run.
        module: &'static str,
        /// The last thing it said.
        message: String,
    },
    /// What was fetched is not the model.
    #[error("the sha256 of {file} is {found}, expected {expected}")]
    Hash {
        /// The model's file.
        file: String,
        /// The hash that it should have.
        expected: String,
        /// The hash of what came.
        found: String,
    },
    /// What was fetched is not all of the model, or more.
    #[error("{file} has {found} bytes, expected {expected}")]
    Length {
        /// The model's file.
        file: String,
        /// The bytes that it should have.
        expected: u64,
        /// The bytes that came.
        found: u64,
    },
    /// The package holds no file.
    #[error("the package {package} has no model in it")]
    Empty {
        /// The package.
        package: &'static str,
    },
    /// The hub did not give the file.
    #[error("{file}: {error}")]
    Hub {
        /// The model's file.
        file: String,
        /// What went wrong.
        error: HubError,
    },
    /// What should be the hub's address is none.
    #[error("expected a hub's address with http:// or https:// and a host, found `{found}`")]
    Endpoint {
        /// What it is.
        found: String,
    },
    /// Another process is fetching the same.
    #[error("{}: another process is fetching this", path.display())]
    Busy {
        /// Where it is fetched to.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("{}: {error}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
}

/// An error of the file system at `path`.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> PullError {
    move |error| PullError::File { path: path.to_owned(), error }
}
