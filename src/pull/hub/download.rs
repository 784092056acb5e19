//! Loading files from a hub.
//!
//! The crate `hf-hub` loads into a folder of its own; what is whole and checked is moved to its place. What is not
//! whole stays there, and the next attempt goes on from it.

use std::fs;
use std::path::{Path, PathBuf};

use hf_hub::api::sync::{Api, ApiBuilder, ApiRepo, Metadata};
use hf_hub::{Cache, Repo, RepoType};

use super::super::Step;
use super::super::error::{PullError, at};
use super::super::files::entries;
use super::super::sha256;
use super::{HubModel, PREFIX};

/// A repository of a hub, and the folder that its files are loaded into.
pub(super) struct Hub {
    api: Api,
    repo: ApiRepo,
    id: String,
    folder: PathBuf,
}

impl Hub {
    pub fn new(model: &HubModel, models: &Path, endpoint: Option<&str>) -> Result<Self, PullError> {
        let id = format!("{}/{}", model.owner, model.repo);
        let cache = models.join(".hub");
        let builder = ApiBuilder::from_cache(Cache::new(cache.clone())).with_progress(false).with_token(None);
        let builder = match endpoint {
            Some(endpoint) => builder.with_endpoint(endpoint.trim_end_matches('/').to_owned()),
            None => builder,
        };
        let refused = |error| PullError::Hub { file: format!("{PREFIX}{id}"), message: format!("{error}") };
        let api = builder.build().map_err(refused)?;
        let repo = Repo::new(id.clone(), RepoType::Model);
        let folder = cache.join(repo.folder_name());
        Ok(Self { repo: api.repo(repo), api, id, folder })
    }

    /// Fetches a file to `path`, where it appears whole.
    pub fn fetch(&self, file: &str, path: &Path, step: &mut dyn FnMut(Step<'_>)) -> Result<(), PullError> {
        let failed = |message: String| PullError::Hub { file: format!("{PREFIX}{}/{file}", self.id), message };
        let metadata =
            self.api.metadata(&self.repo.url(file)).map_err(|error| failed(explained(&error.to_string())))?;
        if !is_plain(metadata.etag()) || !is_plain(metadata.commit_hash()) {
            return Err(failed("the hub's answer names no version of the file".into()));
        }
        self.drop_useless(&metadata);
        let progress = Progress { done: 0, total: 0, step };
        let link = self.repo.download_with_progress(file, progress);
        let link = link.map_err(|error| failed(explained(&error.to_string())))?;
        step(Step::Check);
        let blob = link.canonicalize().map_err(at(&link))?;
        let checked = check(&blob, file, &metadata);
        fs::remove_file(&link).map_err(at(&link))?;
        if checked.is_err() {
            // It would be taken for whole the next time.
            fs::remove_file(&blob).map_err(at(&blob))?;
        }
        checked?;
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(at(path))?;
        fs::rename(&blob, path).map_err(at(path))
    }

    /// Removes the rest of an attempt that cannot be gone on with: there is nothing left to ask for.
    fn drop_useless(&self, metadata: &Metadata) {
        let part = self.folder.join("blobs").join(metadata.etag()).with_extension("part");
        if fs::metadata(&part).is_ok_and(|data| data.len() >= metadata.size() as u64) {
            // If it stays, the hub refuses, which is an error of its own.
            let _ = fs::remove_file(&part);
        }
    }

    /// Removes the folder unless parts of other files are in it.
    pub fn clear(&self) {
        let blobs = entries(&self.folder.join("blobs")).unwrap_or_default();
        if blobs.iter().all(|path| path.extension().is_some_and(|end| end == "lock")) {
            // What cannot be removed stays behind, and harms nothing.
            let _ = fs::remove_dir_all(&self.folder);
            let _ = self.folder.parent().map(fs::remove_dir);
        }
    }
}

/// Large files have their sha256 as their tag; of others only the length is known.
fn check(blob: &Path, file: &str, metadata: &Metadata) -> Result<(), PullError> {
    let (expected, found) = (metadata.size() as u64, fs::metadata(blob).map_err(at(blob))?.len());
    if found != expected {
        return Err(PullError::Length { file: file.into(), expected, found });
    }
    let expected = metadata.etag();
    if expected.len() != 64 || !expected.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    let found = sha256::of_file(blob).map_err(at(blob))?;
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(PullError::Hash { file: file.into(), expected: expected.into(), found })
}

/// Whether a hub's word can be a file's name: it becomes one.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// What a hub answers if there is no such repository or file, or it is not for everyone.
fn explained(message: &str) -> String {
    let known = [
        ("404", "the hub has no such file"),
        ("401", "the hub has no such repository, or it is not for everyone"),
        ("403", "the repository is not for everyone"),
    ];
    let cause = known.into_iter().find(|(status, _)| message.ends_with(&format!("status: {status}")));
    cause.map_or_else(|| message.to_owned(), |(_, cause)| format!("{cause} ({message})"))
}

/// Tells of bytes as they come.
struct Progress<'a> {
    done: u64,
    total: u64,
    step: &'a mut dyn FnMut(Step<'_>),
}

impl hf_hub::api::Progress for Progress<'_> {
    fn init(&mut self, size: usize, _file: &str) {
        (self.done, self.total) = (0, size as u64);
    }

    fn update(&mut self, bytes: usize) {
        self.done += bytes as u64;
        (self.step)(Step::Bytes { done: self.done, total: self.total });
    }

    fn finish(&mut self) {}
}
