//! Metadata values as the Rust types that code wants.

use super::{Array, Strings, Value};

/// A type that metadata values can be read as.
///
/// An integer is read from any integer type in whose value's range it is, `f32` from both float types, text from
/// strings that are UTF-8, bytes from every string, a `Vec` from an array of what its element is read from.
pub trait FromValue<'a>: Sized {
    /// What is expected of the value, for messages: `a string`.
    fn expected() -> String;

    /// The value as this type.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

macro_rules! from_integer {
    ($($t:ty),+) => {$(
        impl FromValue<'_> for $t {
            fn expected() -> String {
                format!("an integer from {} to {}", Self::MIN, Self::MAX)
            }

            fn from_value(value: Value<'_>) -> Option<Self> {
                Self::try_from(value.as_int()?).ok()
            }
        }
    )+};
}

from_integer!(u8, i8, u16, i16, u32, i32, u64, i64, usize);

impl FromValue<'_> for f32 {
    fn expected() -> String {
        "a float".into()
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::F32(v) => Some(v),
            Value::F64(v) => Some(v as f32),
            _ => None,
        }
    }
}

impl FromValue<'_> for f64 {
    fn expected() -> String {
        "a float".into()
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::F32(v) => Some(v.into()),
            Value::F64(v) => Some(v),
            _ => None,
        }
    }
}

impl FromValue<'_> for bool {
    fn expected() -> String {
        "a bool".into()
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(v) => Some(v),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a [u8] {
    fn expected() -> String {
        "a string".into()
    }

    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::String(v) => Some(v),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a str {
    fn expected() -> String {
        "a string of UTF-8".into()
    }

    fn from_value(value: Value<'a>) -> Option<Self> {
        std::str::from_utf8(<&[u8]>::from_value(value)?).ok()
    }
}

impl<'a> FromValue<'a> for Array<'a> {
    fn expected() -> String {
        "an array".into()
    }

    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Array(v) => Some(v),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for Strings<'a> {
    fn expected() -> String {
        "an array of strings".into()
    }

    fn from_value(value: Value<'a>) -> Option<Self> {
        Array::from_value(value)?.strings()
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Vec<T> {
    fn expected() -> String {
        format!("an array, each element {}", T::expected())
    }

    fn from_value(value: Value<'a>) -> Option<Self> {
        Array::from_value(value)?.iter().map(T::from_value).collect()
    }
}
