//! Loading files from a hub.
//!
//! The crate `hf-hub` knows the addresses of a hub's files, and the names of files in its cache. What it loads has no
//! limits of time and redirects, so the loading is done here: into a file of its cache's, which is moved to its place
//! when it is whole and checked. What is not whole stays, and the next attempt goes on from it.

use std::fs;
use std::path::{Path, PathBuf};

use hf_hub::api::sync::{ApiBuilder, ApiRepo};
use hf_hub::{Cache, CacheRepo, Repo};
use url::Url;

use super::super::Step;
use super::super::error::PullError;
use super::client::{Answer, Client, Limits, is_web};
use super::error::{HubError, HubFault};
use super::part::Part;
use super::{HubModel, PREFIX};

/// The hub that is asked where none is named.
const USUAL: &str = "https://huggingface.co";

/// The longest version of a file: it becomes a file's name.
const LONGEST_TAG: usize = 128;

/// A repository of a hub, and the folder that its files are loaded into.
pub(super) struct Hub {
    client: Client,
    address: Url,
    repo: ApiRepo,
    id: String,
    cache: CacheRepo,
}

/// A version of a file.
struct Version {
    url: Url,
    tag: String,
    size: u64,
}

/// The address of a hub; `None` if the text is none that the addresses of files can start with.
pub(crate) fn address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_start = url.query().is_none() && url.fragment().is_none() && !text.contains(char::is_whitespace);
    (is_web(&url) && is_start).then_some(url)
}

impl Hub {
    pub fn new(model: &HubModel, models: &Path, endpoint: Option<&str>, limits: Limits) -> Result<Self, PullError> {
        let endpoint = endpoint.unwrap_or(USUAL);
        let address = address(endpoint).ok_or_else(|| PullError::Endpoint { found: endpoint.to_owned() })?;
        let id = format!("{}/{}", model.owner, model.repo);
        let cache = Cache::new(models.join(".hub"));
        let builder = ApiBuilder::from_cache(cache.clone()).with_progress(false).with_token(None);
        let api = builder.with_endpoint(endpoint.trim_end_matches('/').to_owned()).build().map_err(|error| {
            let error = HubError::new(&address, HubFault::Broken(error.to_string()));
            PullError::Hub { file: format!("{PREFIX}{id}"), error }
        })?;
        let repo = Repo::model(id.clone());
        Ok(Self { client: Client::new(limits), address, repo: api.repo(repo.clone()), id, cache: cache.repo(repo) })
    }

    /// Fetches a file to `path`, where it appears whole.
    pub fn fetch(&self, file: &str, path: &Path, step: &mut dyn FnMut(Step<'_>)) -> Result<(), PullError> {
        let failed = |error| PullError::Hub { file: format!("{PREFIX}{}/{file}", self.id), error };
        let version = self.find(file).map_err(failed)?;
        let mut part = Part::open(self.part(&version.tag))?;
        if path.is_file() {
            // Another process was faster.
            return part.remove();
        }
        self.load(&version, &mut part, step, &failed)?;
        step(Step::Check);
        if let Err(error) = check(&mut part, file, &version) {
            // It would be taken for a part the next time.
            part.remove()?;
            return Err(error);
        }
        part.place(path)
    }

    /// The version of a file that the hub has.
    fn find(&self, file: &str) -> Result<Version, HubError> {
        let url = Url::parse(&self.repo.url(file));
        let url = url.map_err(|error| HubError::new(&self.address, HubFault::Broken(error.to_string())))?;
        let answer = self.client.get(url, "0-0")?;
        let missing = |what| HubError::new(&answer.url, HubFault::Missing(what));
        let tag = answer.tag.as_ref().filter(|tag| is_plain(tag)).ok_or_else(|| missing("version"))?;
        let (_, size) = answer.range.ok_or_else(|| missing("length"))?;
        Ok(Version { tag: tag.clone(), size, url: answer.url })
    }

    /// Loads what is missing.
    fn load(
        &self,
        version: &Version,
        part: &mut Part,
        step: &mut dyn FnMut(Step<'_>),
        failed: &dyn Fn(HubError) -> PullError,
    ) -> Result<(), PullError> {
        let mut done = part.len()?;
        if done == version.size {
            return Ok(());
        }
        if done > version.size {
            done = 0;
        }
        let mut answer = self.client.get(version.url.clone(), &format!("{done}-")).map_err(failed)?;
        done = start(&answer, done).map_err(|fault| failed(HubError::new(&version.url, fault)))?;
        part.go_on_at(done)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            step(Step::Bytes { done, total: version.size });
            let read = answer.read(&mut buffer).map_err(failed)?;
            let bytes = buffer.get(..read).unwrap_or_default();
            part.write(bytes)?;
            done += bytes.len() as u64;
            if bytes.is_empty() || done > version.size {
                break;
            }
        }
        if done < version.size {
            let ended = HubFault::Ended { found: done, expected: version.size };
            return Err(failed(HubError::new(&version.url, ended)));
        }
        Ok(())
    }

    /// Where a version of a file is loaded.
    fn part(&self, tag: &str) -> PathBuf {
        self.cache.blob_path(tag).with_extension("part")
    }

    /// Removes the folders unless parts of other files are in them.
    pub fn clear(&self) {
        let part = self.part("none");
        // What is not empty stays.
        let _ = part.ancestors().skip(1).take(3).try_for_each(fs::remove_dir);
    }
}

/// The first byte of an answer to a question for those from `asked` on: that one, or all come.
fn start(answer: &Answer, asked: u64) -> Result<u64, HubFault> {
    match answer.range {
        Some((got, _)) if got == asked || got == 0 => Ok(got),
        Some((got, _)) => Err(HubFault::Range { asked, got }),
        None => Err(HubFault::Missing("length")),
    }
}

/// Large files have their sha256 as their tag; of others only the length is known.
fn check(part: &mut Part, file: &str, version: &Version) -> Result<(), PullError> {
    let (expected, found) = (version.size, part.len()?);
    if found != expected {
        return Err(PullError::Length { file: file.into(), expected, found });
    }
    let expected = &version.tag;
    if expected.len() != 64 || !expected.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    let found = part.sha256()?;
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(PullError::Hash { file: file.into(), expected: expected.clone(), found })
}

/// Whether a hub's word can be a file's name: it becomes one.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=LONGEST_TAG).contains(&word.len()) && word.bytes().all(plain)
}
