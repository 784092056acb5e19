//! The keys that describe a model.

use vt_gguf::Gguf;
use vt_models::load::{is_model, key_faults};

use super::finding::Findings;

/// Validates the architecture's name, and its keys.
pub(super) fn validate(gguf: &Gguf, findings: &mut Findings) {
    // Files of other things than models (importance matrices, ...) name no architecture.
    let nameless = gguf.metadata().get("general.architecture").is_none() && !is_model(gguf);
    if let Some(error) = gguf.metadata().architecture().err().filter(|_| !nameless) {
        findings.key_error(error);
    }
    key_faults(gguf).into_iter().for_each(|error| findings.key_error(error));
}
