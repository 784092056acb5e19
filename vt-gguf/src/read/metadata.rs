//! Looking up metadata.

use std::borrow::Cow;
use std::sync::Arc;

use super::table::{Entry, Table};
use crate::cursor::At;
use crate::error::{Fault, GgufError};
use crate::value::{FromValue, Value};

/// The key of the architecture's name.
const ARCHITECTURE_KEY: &str = "general.architecture";

/// A file's metadata. Of a set of files it is the first one's.
///
/// The getters take the types of [`FromValue`]; an error names the file, the key, its offset, what was expected and
/// what was found.
#[derive(Clone, Copy)]
pub struct Metadata<'a> {
    name: &'a Arc<str>,
    file: &'a [u8],
    table: &'a Table,
    scope: &'a str,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(name: &'a Arc<str>, file: &'a [u8], table: &'a Table) -> Self {
        Self { name, file, table, scope: "" }
    }

    /// The same metadata, where every getter's `key` stands for `{scope}.{key}`.
    pub fn scoped(self, scope: &'a str) -> Self {
        Self { scope, ..self }
    }

    /// The metadata of the file's architecture: `key` stands for `{architecture}.{key}`.
    ///
    /// # Errors
    /// If the file names no architecture.
    pub fn arch(self) -> Result<Self, GgufError> {
        Ok(self.scoped(self.architecture()?))
    }

    /// The name of the architecture, `general.architecture`, whatever the scope.
    ///
    /// # Errors
    /// If it is missing or not text.
    pub fn architecture(self) -> Result<&'a str, GgufError> {
        self.scoped("").required(ARCHITECTURE_KEY)
    }

    /// Every key and value, in the file's order, whatever the scope.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        (0..self.table.len()).filter_map(move |i| self.table.entry(self.file, i)).map(|e| (e.key, e.value))
    }

    /// The number of entries.
    pub fn len(self) -> usize {
        self.table.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of `key`.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.find(key).map(|entry| entry.value)
    }

    /// The value of `key`, which must be there.
    ///
    /// # Errors
    /// If it is missing, or not of that type or range.
    pub fn required<T: FromValue<'a>>(self, key: &str) -> Result<T, GgufError> {
        let missing = || Fault::MissingKey { key: self.full(key).into_owned(), expected: T::expected() };
        self.optional(key)?.ok_or_else(|| GgufError::new(self.name, missing()))
    }

    /// The value of `key`, if it is there.
    ///
    /// # Errors
    /// If it is there, but not of that type or range.
    pub fn optional<T: FromValue<'a>>(self, key: &str) -> Result<Option<T>, GgufError> {
        let Some(entry) = self.find(key) else { return Ok(None) };
        match T::from_value(entry.value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.mistake(&entry, T::expected())),
        }
    }

    /// The values of `key` for each of `layers` layers, if it is there: one value for all, or an array of as many.
    ///
    /// # Errors
    /// If it is there, but not of that type, range or length.
    pub fn per_layer<T: FromValue<'a> + Clone>(self, key: &str, layers: usize) -> Result<Option<Vec<T>>, GgufError> {
        let Some(entry) = self.find(key) else { return Ok(None) };
        let values = match entry.value {
            Value::Array(array) if array.len() == layers => Vec::from_value(entry.value),
            Value::Array(_) => None,
            one => T::from_value(one).map(|value| vec![value; layers]),
        };
        let expected = || format!("for each of {layers} layers {}", T::expected());
        values.map(Some).ok_or_else(|| self.mistake(&entry, expected()))
    }

    /// The integer of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn u32(self, key: &str) -> Result<u32, GgufError> {
        self.required(key)
    }

    /// The integer of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn u64(self, key: &str) -> Result<u64, GgufError> {
        self.required(key)
    }

    /// The integer of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn usize(self, key: &str) -> Result<usize, GgufError> {
        self.required(key)
    }

    /// The float of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn f32(self, key: &str) -> Result<f32, GgufError> {
        self.required(key)
    }

    /// The bool of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn bool(self, key: &str) -> Result<bool, GgufError> {
        self.required(key)
    }

    /// The text of `key`, which must be there.
    ///
    /// # Errors
    /// As [`Metadata::required`].
    pub fn str(self, key: &str) -> Result<&'a str, GgufError> {
        self.required(key)
    }

    /// An error for a value that has the right type but cannot be: `key`'s, with what was expected of it.
    pub fn implausible(self, key: &str, expected: impl Into<String>) -> GgufError {
        match self.find(key) {
            Some(entry) => self.mistake(&entry, expected.into()),
            None => {
                GgufError::new(self.name, Fault::MissingKey { key: self.full(key).into(), expected: expected.into() })
            }
        }
    }

    fn full(self, key: &str) -> Cow<'_, str> {
        if self.scope.is_empty() { key.into() } else { format!("{}.{key}", self.scope).into() }
    }

    fn find(self, key: &str) -> Option<Entry<'a>> {
        self.table.find(self.file, &self.full(key))
    }

    fn mistake(self, entry: &Entry<'_>, expected: String) -> GgufError {
        let place = At::Key(entry.key.as_bytes()).into();
        let found = format!("{} {}", entry.value.value_type(), entry.value);
        GgufError::new(self.name, Fault::Invalid { place, offset: entry.offset, expected, found })
    }
}
