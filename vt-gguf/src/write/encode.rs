//! Metadata values as bytes.

use crate::value::{Array, Value, ValueType};

/// What can be an element of a metadata array: numbers, bools and strings.
pub trait Element {
    /// The type in the file.
    const TYPE: ValueType;

    /// Appends the bytes of the value.
    fn put(&self, out: &mut Vec<u8>);
}

/// What can be a metadata value: an [`Element`], a slice of them, or a [`Value`] of another file.
pub trait Encode {
    /// The type in the file.
    fn value_type(&self) -> ValueType;

    /// Appends the bytes of the value.
    fn encode(&self, out: &mut Vec<u8>);
}

macro_rules! encode_as_element {
    ($t:ty) => {
        impl Encode for $t {
            fn value_type(&self) -> ValueType {
                <$t as Element>::TYPE
            }

            fn encode(&self, out: &mut Vec<u8>) {
                self.put(out);
            }
        }
    };
}

macro_rules! numbers {
    ($($t:ty => $type:ident),+) => {$(
        impl Element for $t {
            const TYPE: ValueType = ValueType::$type;

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }

        encode_as_element!($t);
    )+};
}

numbers!(u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, f32 => F32);
numbers!(u64 => U64, i64 => I64, f64 => F64);

impl Element for bool {
    const TYPE: ValueType = ValueType::Bool;

    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

encode_as_element!(bool);

impl Element for &[u8] {
    const TYPE: ValueType = ValueType::String;

    fn put(&self, out: &mut Vec<u8>) {
        put_string(self, out);
    }
}

impl Element for &str {
    const TYPE: ValueType = ValueType::String;

    fn put(&self, out: &mut Vec<u8>) {
        put_string(self.as_bytes(), out);
    }
}

encode_as_element!(&str);

impl Element for String {
    const TYPE: ValueType = ValueType::String;

    fn put(&self, out: &mut Vec<u8>) {
        put_string(self.as_bytes(), out);
    }
}

encode_as_element!(String);

impl<T: Element> Encode for &[T] {
    fn value_type(&self) -> ValueType {
        ValueType::Array
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_array_head(T::TYPE, self.len(), out);
        self.iter().for_each(|element| element.put(out));
    }
}

impl<T: Element, const N: usize> Encode for [T; N] {
    fn value_type(&self) -> ValueType {
        ValueType::Array
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.as_slice().encode(out);
    }
}

impl Encode for Array<'_> {
    fn value_type(&self) -> ValueType {
        ValueType::Array
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put_array_head(self.elem_type(), self.len(), out);
        out.extend_from_slice(self.raw());
    }
}

impl Encode for Value<'_> {
    fn value_type(&self) -> ValueType {
        Value::value_type(self)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Value::U8(v) => v.put(out),
            Value::I8(v) => v.put(out),
            Value::U16(v) => v.put(out),
            Value::I16(v) => v.put(out),
            Value::U32(v) => v.put(out),
            Value::I32(v) => v.put(out),
            Value::F32(v) => v.put(out),
            Value::Bool(v) => v.put(out),
            Value::String(v) => v.put(out),
            Value::Array(v) => v.encode(out),
            Value::U64(v) => v.put(out),
            Value::I64(v) => v.put(out),
            Value::F64(v) => v.put(out),
        }
    }
}

/// A string as a file has it: its length, then its bytes.
pub(super) fn put_string(bytes: &[u8], out: &mut Vec<u8>) {
    (bytes.len() as u64).put(out);
    out.extend_from_slice(bytes);
}

fn put_array_head(elem: ValueType, len: usize, out: &mut Vec<u8>) {
    (elem as u32).put(out);
    (len as u64).put(out);
}
