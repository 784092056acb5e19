//! Validating GGUF files completely: the container, the metadata, the vocabulary, the model, and every weight.
//!
//! The reader ([`vt_gguf::Gguf`]) refuses what it cannot read, a model what it cannot compute; here all that is wrong
//! or strange in a file is told at once, whether or not vt has its architecture:
//!
//! ```
//! use vt::validate::{self, Severity};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("model.gguf");
//! std::fs::write(&path, "GGUF and no more")?;
//! let target = vt_models::load::Target { registry: vt::default_registry(Default::default())?, device: "cpu".into() };
//! let report = validate::file(&path, &target, |_, _| {});
//! assert_eq!(report.findings[0].severity, Severity::Error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod charsmap;
mod container;
mod finding;
mod keys;
mod model;
mod numbers;
mod scales;
mod template;
#[cfg(test)]
mod tests;
mod vocabulary;
mod weights;

use std::path::Path;

use vt_gguf::Gguf;
use vt_models::load::Target;

use finding::Findings;
pub use finding::{Finding, Report, Severity};

/// Validates the file at `path`; of a set of split files any one may be named, and all are validated.
///
/// What makes a file unusable for anyone is an error: a rule of the format that is broken, metadata that are
/// implausible or contradict the tensors or the vocabulary, tensors that are missing or of another shape. What may be
/// meant, or is beyond vt, is a warning: weights that are not finite, tensors that the model does not use,
/// architectures, types and tokenizers that vt does not have, oddities of the vocabulary.
///
/// `target` is the device that the model would run on. `progress` is told the bytes of weights read so far, and how
/// many there are: they are read in pieces, so memory does not grow with the file. A file that the reader refuses is
/// validated no further.
pub fn file(path: &Path, target: &Target, mut progress: impl FnMut(u64, u64)) -> Report {
    let mut findings = Findings::default();
    match Gguf::open(path) {
        Ok(gguf) => {
            container::validate(&gguf, &mut findings);
            keys::validate(&gguf, &mut findings);
            vocabulary::validate(&gguf, &mut findings);
            template::validate(&gguf, &mut findings);
            model::validate(&gguf, target, &mut findings);
            weights::validate(&gguf, path, &mut findings, &mut progress);
        }
        // Whoever asked knows the file, but not which of a set it is.
        Err(error) if Path::new(&*error.file) == path => findings.error(error.fault),
        Err(error) => findings.error(error),
    }
    findings.report()
}
