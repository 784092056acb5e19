//! Conversations in a model's own chat template.

mod bounded;
mod clock;
mod environment;
mod error;
mod filters;
mod json;
mod message;
mod methods;
mod pieces;
mod python;
mod source;
mod tag;
mod template;

pub use error::TemplateError;
pub use jiff::civil::DateTime;
pub use message::{Json, Message, MessageError};
pub use template::{Conversation, MAX_TEMPLATE_BYTES, Template};
