//! Arrays of metadata, seen in place.

use super::{Value, ValueType};
use crate::cursor::{At, Cursor};
use crate::error::Fault;

/// An array's most elements, as in llama.cpp.
const MAX_ELEMENTS: u64 = 1 << 30;

/// An array in the file's own bytes: numbers or strings, read one by one as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    elem: ValueType,
    len: usize,
    /// The elements; strings are followed by the rest of the file.
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// The type of the elements; never [`ValueType::Array`].
    pub fn elem_type(&self) -> ValueType {
        self.elem
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements.
    pub fn iter(&self) -> Values<'a> {
        Values { elem: self.elem, left: self.len, cursor: Cursor::new(self.bytes, 0, At::Header) }
    }

    /// The elements, if they are strings.
    pub fn strings(&self) -> Option<Strings<'a>> {
        (self.elem == ValueType::String).then(|| Strings(self.iter()))
    }

    /// The bytes of the elements, as they are in a file.
    pub(crate) fn raw(&self) -> &'a [u8] {
        let mut values = self.iter();
        values.by_ref().for_each(drop);
        let used = self.bytes.len() - values.cursor.rest().len();
        self.bytes.get(..used).unwrap_or(self.bytes)
    }

    /// Reads an array's head, and its elements if they are not strings.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        let offset = cursor.offset();
        let elem = ValueType::read(cursor)?;
        if elem == ValueType::Array {
            return Err(cursor.invalid(offset, "an array of numbers or strings", "an array of arrays"));
        }
        let offset = cursor.offset();
        let n = cursor.count(elem.min_bytes(), "elements")?;
        let len = usize::try_from(n).ok().filter(|_| n <= MAX_ELEMENTS);
        let len = len.ok_or_else(|| cursor.invalid(offset, format!("at most {MAX_ELEMENTS} elements"), n))?;
        let is_string = elem == ValueType::String;
        let bytes = if is_string { cursor.rest() } else { cursor.take(n * elem.min_bytes())? };
        Ok(Self { elem, len, bytes })
    }
}

/// Arrays are equal if their elements are.
impl PartialEq for Array<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.elem == other.elem && self.len == other.len && self.iter().eq(other.iter())
    }
}

/// The elements of an [`Array`].
#[derive(Clone, Debug)]
pub struct Values<'a> {
    elem: ValueType,
    left: usize,
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        // The elements were read once when the file was opened: this fails only if it was changed since.
        Value::read(&mut self.cursor, self.elem).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Values<'_> {}

/// The elements of an [`Array`] of strings.
#[derive(Clone, Debug)]
pub struct Strings<'a>(Values<'a>);

impl<'a> Iterator for Strings<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        match self.0.next()? {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Strings<'_> {}
