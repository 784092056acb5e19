//! Metadata values, seen in place.

mod array;
mod convert;

use std::fmt;

use crate::cursor::Cursor;
use crate::error::{Fault, shown};

pub use array::{Array, Strings, Values};
pub use convert::FromValue;

/// The type of a metadata value. The numbers are the file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ValueType {
    /// Unsigned, 8 bits.
    U8 = 0,
    /// Signed, 8 bits.
    I8 = 1,
    /// Unsigned, 16 bits.
    U16 = 2,
    /// Signed, 16 bits.
    I16 = 3,
    /// Unsigned, 32 bits.
    U32 = 4,
    /// Signed, 32 bits.
    I32 = 5,
    /// IEEE binary32.
    F32 = 6,
    /// One byte; true unless it is 0.
    Bool = 7,
    /// Bytes, meant as UTF-8.
    String = 8,
    /// Values of one type.
    Array = 9,
    /// Unsigned, 64 bits.
    U64 = 10,
    /// Signed, 64 bits.
    I64 = 11,
    /// IEEE binary64.
    F64 = 12,
}

impl ValueType {
    /// Every type, by its number.
    pub const ALL: [ValueType; 13] = [
        ValueType::U8,
        ValueType::I8,
        ValueType::U16,
        ValueType::I16,
        ValueType::U32,
        ValueType::I32,
        ValueType::F32,
        ValueType::Bool,
        ValueType::String,
        ValueType::Array,
        ValueType::U64,
        ValueType::I64,
        ValueType::F64,
    ];

    /// The type of that number in a file.
    pub fn from_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|t| *t as u32 == id)
    }

    /// The name in messages: `u32`, `string`.
    pub const fn name(self) -> &'static str {
        match self {
            ValueType::U8 => "u8",
            ValueType::I8 => "i8",
            ValueType::U16 => "u16",
            ValueType::I16 => "i16",
            ValueType::U32 => "u32",
            ValueType::I32 => "i32",
            ValueType::F32 => "f32",
            ValueType::Bool => "bool",
            ValueType::String => "string",
            ValueType::Array => "array",
            ValueType::U64 => "u64",
            ValueType::I64 => "i64",
            ValueType::F64 => "f64",
        }
    }

    /// The bytes that a value of the type takes, or at least takes if it is a string or an array.
    const fn min_bytes(self) -> u64 {
        match self {
            ValueType::U8 | ValueType::I8 | ValueType::Bool => 1,
            ValueType::U16 | ValueType::I16 => 2,
            ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::String | ValueType::U64 | ValueType::I64 | ValueType::F64 => 8,
            ValueType::Array => 12,
        }
    }

    /// Reads a type's number.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let offset = cursor.offset();
        let id = cursor.u32()?;
        Self::from_id(id).ok_or_else(|| cursor.invalid(offset, "a value type from 0 to 12", id))
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A metadata value. Strings and arrays are the file's own bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Unsigned, 8 bits.
    U8(u8),
    /// Signed, 8 bits.
    I8(i8),
    /// Unsigned, 16 bits.
    U16(u16),
    /// Signed, 16 bits.
    I16(i16),
    /// Unsigned, 32 bits.
    U32(u32),
    /// Signed, 32 bits.
    I32(i32),
    /// IEEE binary32.
    F32(f32),
    /// True or false.
    Bool(bool),
    /// Bytes, meant as UTF-8, but files hold others too.
    String(&'a [u8]),
    /// Values of one type.
    Array(Array<'a>),
    /// Unsigned, 64 bits.
    U64(u64),
    /// Signed, 64 bits.
    I64(i64),
    /// IEEE binary64.
    F64(f64),
}

impl<'a> Value<'a> {
    /// The type.
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::U8(_) => ValueType::U8,
            Value::I8(_) => ValueType::I8,
            Value::U16(_) => ValueType::U16,
            Value::I16(_) => ValueType::I16,
            Value::U32(_) => ValueType::U32,
            Value::I32(_) => ValueType::I32,
            Value::F32(_) => ValueType::F32,
            Value::Bool(_) => ValueType::Bool,
            Value::String(_) => ValueType::String,
            Value::Array(_) => ValueType::Array,
            Value::U64(_) => ValueType::U64,
            Value::I64(_) => ValueType::I64,
            Value::F64(_) => ValueType::F64,
        }
    }

    /// The value as an integer, if it is of an integer type.
    pub fn as_int(&self) -> Option<i128> {
        match *self {
            Value::U8(v) => Some(v.into()),
            Value::I8(v) => Some(v.into()),
            Value::U16(v) => Some(v.into()),
            Value::I16(v) => Some(v.into()),
            Value::U32(v) => Some(v.into()),
            Value::I32(v) => Some(v.into()),
            Value::U64(v) => Some(v.into()),
            Value::I64(v) => Some(v.into()),
            Value::F32(_) | Value::F64(_) | Value::Bool(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// Reads a value of the type. Of an array of strings only the head is read: the cursor stops at the first string.
    pub(crate) fn read(cursor: &mut Cursor<'a>, value_type: ValueType) -> Result<Self, Fault> {
        Ok(match value_type {
            ValueType::U8 => Value::U8(u8::from_le_bytes(cursor.array()?)),
            ValueType::I8 => Value::I8(i8::from_le_bytes(cursor.array()?)),
            ValueType::U16 => Value::U16(u16::from_le_bytes(cursor.array()?)),
            ValueType::I16 => Value::I16(i16::from_le_bytes(cursor.array()?)),
            ValueType::U32 => Value::U32(cursor.u32()?),
            ValueType::I32 => Value::I32(i32::from_le_bytes(cursor.array()?)),
            ValueType::F32 => Value::F32(f32::from_le_bytes(cursor.array()?)),
            ValueType::Bool => Value::Bool(u8::from_le_bytes(cursor.array()?) != 0),
            ValueType::String => Value::String(cursor.string()?),
            ValueType::Array => Value::Array(Array::read(cursor)?),
            ValueType::U64 => Value::U64(cursor.u64()?),
            ValueType::I64 => Value::I64(i64::from_le_bytes(cursor.array()?)),
            ValueType::F64 => Value::F64(f64::from_le_bytes(cursor.array()?)),
        })
    }
}

/// As messages show it: strings are cut, arrays are described.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::U8(v) => v.fmt(f),
            Value::I8(v) => v.fmt(f),
            Value::U16(v) => v.fmt(f),
            Value::I16(v) => v.fmt(f),
            Value::U32(v) => v.fmt(f),
            Value::I32(v) => v.fmt(f),
            Value::F32(v) => v.fmt(f),
            Value::Bool(v) => v.fmt(f),
            Value::String(v) => write!(f, "\"{}\"", shown(v)),
            Value::Array(v) => write!(f, "[{} x {}]", v.elem_type(), v.len()),
            Value::U64(v) => v.fmt(f),
            Value::I64(v) => v.fmt(f),
            Value::F64(v) => v.fmt(f),
        }
    }
}
