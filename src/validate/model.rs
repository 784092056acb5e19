//! The model: whether its metadata and tensors are whole, and whether vt computes it.

use vt_gguf::Gguf;
use vt_models::load::{Problem, Target, is_model};
use vt_models::{LoadOptions, ModelError, Outline};

use super::finding::{Findings, shown};

/// Validates the model that a file's tensors make, if they are meant to make one. A vocabulary alone is none.
pub(super) fn validate(gguf: &Gguf, target: &Target, findings: &mut Findings) {
    if !is_model(gguf) {
        return;
    }
    match vt_models::inspect(gguf, target, &LoadOptions::default()) {
        Ok(outline) => report(outline, findings),
        Err(error) => tell(error, findings),
    }
}

fn report(outline: Outline, findings: &mut Findings) {
    if let Err(error) = outline.plan {
        tell(error, findings);
    }
    let unused =
        outline.unused.iter().map(|name| format!("tensor `{}`: the model does not use it", shown(name.as_bytes())));
    findings.warnings("tensors are not used", unused);
}

fn tell(error: ModelError, findings: &mut Findings) {
    match error {
        // Told where the keys are validated.
        ModelError::Gguf(error) => findings.key_error(error),
        ModelError::Refused { problems } => {
            let mut unsupported = Vec::new();
            for problem in problems {
                match problem {
                    Problem::Fault(what) => findings.error(what),
                    Problem::Unsupported(what) => unsupported.push(what),
                }
            }
            findings.warnings("reasons why vt does not compute the model", unsupported);
        }
        error @ (ModelError::Architecture { .. } | ModelError::Plan(_)) => findings.warning(error),
        error => findings.error(error),
    }
}
