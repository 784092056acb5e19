//! Conversations in a model's own chat template.
//!
//! [`Template`] renders messages as Hugging Face's transformers does, [`PromptEncoder`] makes tokens of them, and
//! [`Session`] keeps a conversation with a model.
//!
//! # Differences from jinja2
//!
//! Templates run in minijinja, made to give what jinja2 gives (`goldens/chat` holds it to that). What remains:
//!
//! - Python's own string formatting, `'%s' % x`, is an error; the filter `format`, without `%r`, and the method
//!   `format` are there. So is a sign `+` in front of an expression.
//! - Macros have no `varargs` and `kwargs`, numbers no methods; the filter `attr` looks up keys, too.
//! - Integers of more than 64 bits in messages and variables become floats.
//! - An undefined value equals `none`; a number does not equal `true`; values of different types can be compared in
//!   order, and `none` can be iterated over, where Python raises an error.
//! - The line end behind `{% raw %}` is taken off, as behind other tags.
//! - The filters `center`, `filesizeformat`, `pprint`, `random`, `striptags`, `truncate`, `urlencode`, `urlize`,
//!   `wordcount`, `wordwrap` and `xmlattr` are missing or differ, and so does `current` of a `cycler`.
//! - `~` between values that are written out writes floats above 10^16 and below 10^-4 without an exponent.
//! - A namespace or a loop cannot be set into a namespace, nor remembered by `loop.changed`; `cycler` and `joiner` take
//!   no lists or maps. Lists, maps and namespaces lie at most 200 deep in each other.
//! - Work and text are limited: see [`TemplateError::Exhausted`].

mod answer;
mod bounded;
mod clock;
mod compare;
mod environment;
mod error;
mod filters;
mod json;
mod message;
mod methods;
mod nesting;
mod operators;
mod plain;
mod program;
mod prompt;
mod python;
mod session;
mod settle;
mod source;
mod specials;
mod strings;
mod tag;
mod template;
mod weigh;
mod weighed;

pub use answer::{Answer, ChatError, Progress, Settings};
pub use error::TemplateError;
pub use jiff::civil::DateTime;
pub use message::{Json, Message, MessageError};
pub use plain::PLAIN_STOP;
pub use prompt::PromptEncoder;
pub use session::Session;
pub(crate) use source::TEMPLATE_KEY;
pub use template::{Conversation, MAX_TEMPLATE_BYTES, Template};
