//! The chat template: `tokenizer.chat_template`.

use vt_gguf::Gguf;

use super::finding::Findings;
use crate::chat::{Conversation, DateTime, Message, TEMPLATE_KEY, Template, TemplateError};

/// The most characters of a message: a template can make one of any length.
const LONGEST: usize = 400;

/// What the template is tried with.
const QUESTION: &str = "Hello";

/// Validates the file's template, if it has one, with a question. What fails only then may be meant, or beyond vt.
pub(super) fn validate(gguf: &Gguf, findings: &mut Findings) {
    if gguf.metadata().get(TEMPLATE_KEY).is_none() {
        return;
    }
    let error = match rendered(gguf) {
        Ok(text) if text.contains(QUESTION) => return,
        Ok(_) => return findings.warning(format!("metadata key `{TEMPLATE_KEY}`: it does not write what a user says")),
        Err(error) => error,
    };
    let what = format!("metadata key `{TEMPLATE_KEY}`: {error}");
    let what: String = what.chars().take(LONGEST).collect();
    match error {
        TemplateError::Gguf(error) => findings.key_error(error),
        TemplateError::Syntax { .. }
        | TemplateError::TooLong { .. }
        | TemplateError::TextTooLong { .. }
        | TemplateError::Exhausted { .. } => findings.error(what),
        _ => findings.warning(what),
    }
}

fn rendered(gguf: &Gguf) -> Result<String, TemplateError> {
    let messages = [Message::new("user", QUESTION)];
    let now = DateTime::constant(2026, 1, 1, 12, 0, 0, 0);
    let conversation = Conversation { messages: &messages, add_generation_prompt: true, now, variables: &[] };
    Template::from_gguf(gguf, None)?.render(&conversation)
}
