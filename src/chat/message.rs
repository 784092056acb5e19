//! What templates are given.

use std::fmt;
use std::str::FromStr;

use minijinja::Value;
use minijinja::value::ValueKind;
use thiserror::Error;

/// A text is not JSON, or not the JSON of a message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It is not JSON.
    #[error("{0}")]
    Json(String),
    /// It is not a list.
    #[error("expected a list of messages, found a {found}")]
    List {
        /// What it is.
        found: String,
    },
    /// It is not a message.
    #[error("expected a message, which is a map with a text `role`, found a {found}")]
    Role {
        /// What it is.
        found: String,
    },
    /// A message of a list has a content that is no text.
    #[error("message {number}, of role `{role}`: expected a text as `content`, found {found}")]
    Content {
        /// The message's place in the list, from 1.
        number: usize,
        /// Who says it.
        role: String,
        /// What the content is.
        found: String,
    },
}

/// A JSON value whose maps keep their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Json(pub(super) Value);

impl FromStr for Json {
    type Err = MessageError;

    fn from_str(text: &str) -> Result<Self, MessageError> {
        serde_json::from_str(text).map(Self).map_err(|error| MessageError::Json(error.to_string()))
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).map_err(|_| fmt::Error)?)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self(value.into())
    }
}

/// A message of a conversation: a map with a `role` (`system`, `user`, `assistant`, `tool`, ...), mostly a `content`,
/// and whatever else a template knows, such as `tool_calls`.
///
/// ```
/// use vt::chat::Message;
///
/// let message = Message::new("user", "Hello");
/// assert_eq!((message.role(), message.content()), ("user", "Hello"));
/// assert_eq!(message.to_string(), r#"{"role":"user","content":"Hello"}"#);
/// assert_eq!(message.to_string().parse(), Ok(message));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    role: String,
    content: String,
    value: Value,
}

impl Message {
    /// A message of text.
    pub fn new(role: &str, content: &str) -> Self {
        let value = Value::from_pairs([("role", role), ("content", content)]);
        Self { role: role.to_owned(), content: content.to_owned(), value }
    }

    /// The messages of a JSON list, as a conversation keeps them: what is said is text. Only a message that calls tools
    /// may say nothing.
    ///
    /// # Errors
    /// If it is not one, or something in it is not such a message.
    pub fn list(text: &str) -> Result<Vec<Self>, MessageError> {
        let Json(list) = text.parse()?;
        let not_list = || MessageError::List { found: list.kind().to_string() };
        let items = Some(&list).filter(|list| list.kind() == ValueKind::Seq).and_then(|list| list.try_iter().ok());
        let messages = items.ok_or_else(not_list)?.zip(1..);
        messages.map(|(value, number)| Self::from_value(value)?.said(number)).collect()
    }

    /// Itself, if its content is a text.
    fn said(self, number: usize) -> Result<Self, MessageError> {
        let part = |key| self.value.get_attr(key).unwrap_or_default();
        let found = match part("content").kind() {
            ValueKind::String => return Ok(self),
            ValueKind::None | ValueKind::Undefined if part("tool_calls").is_true() => return Ok(self),
            ValueKind::None | ValueKind::Undefined => "nothing".to_owned(),
            kind => format!("a {kind}"),
        };
        Err(MessageError::Content { number, role: self.role, found })
    }

    fn from_value(value: Value) -> Result<Self, MessageError> {
        let text = |key: &str| value.get_attr(key).ok().and_then(|value| value.as_str().map(str::to_owned));
        let found = || match value.kind() {
            ValueKind::Map => "map without one".to_owned(),
            kind => kind.to_string(),
        };
        let role = text("role").ok_or_else(|| MessageError::Role { found: found() })?;
        Ok(Self { role, content: text("content").unwrap_or_default(), value })
    }

    /// Who says it.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// What is said; empty if that is not a text.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// As templates see it.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// As templates see it, with every text in its content changed.
    pub(super) fn with_texts(&self, change: &dyn Fn(&str) -> String) -> Value {
        entries(&self.value, |key, value| match key.as_str() {
            Some("content") => changed(&value, change),
            _ => value,
        })
    }
}

/// The value with every text in it changed, but for keys.
fn changed(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match (value.kind(), value.as_str()) {
        (_, Some(text)) => change(text).into(),
        (ValueKind::Seq, _) => value.try_iter().into_iter().flatten().map(|item| changed(&item, change)).collect(),
        (ValueKind::Map, _) => entries(value, |_, value| changed(&value, change)),
        _ => value.clone(),
    }
}

/// A map with other values.
fn entries(map: &Value, change: impl Fn(&Value, Value) -> Value) -> Value {
    let keys = map.try_iter().into_iter().flatten();
    Value::from_pairs(keys.map(|key| {
        let value = change(&key, map.get_item(&key).unwrap_or_default());
        (key, value)
    }))
}

impl FromStr for Message {
    type Err = MessageError;

    /// A message from its JSON: a map with a `role`.
    fn from_str(text: &str) -> Result<Self, MessageError> {
        let Json(value) = text.parse()?;
        Self::from_value(value)
    }
}

impl fmt::Display for Message {
    /// Its JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.value).map_err(|_| fmt::Error)?)
    }
}
