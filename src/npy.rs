//! Files of one array in NumPy's `.npy` format, version 1 (NumPy Enhancement Proposal 1): little-endian, in C order.

use std::fmt;
use std::fmt::Write as _;

use thiserror::Error;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 16-bit integer.
    I16,
    /// IEEE binary16.
    F16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Kind {
    const ALL: [(Kind, &'static str, usize); 9] = [
        (Kind::U8, "|u1", 1),
        (Kind::I8, "|i1", 1),
        (Kind::U16, "<u2", 2),
        (Kind::I16, "<i2", 2),
        (Kind::F16, "<f2", 2),
        (Kind::I32, "<i4", 4),
        (Kind::I64, "<i8", 8),
        (Kind::F32, "<f4", 4),
        (Kind::F64, "<f8", 8),
    ];

    /// The bytes of an element.
    pub fn bytes(self) -> usize {
        self.row().2
    }

    /// NumPy's name of the type.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (Kind, &'static str, usize) {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self).unwrap_or(Self::ALL[0])
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, n, _)| *n == name).map(|(kind, ..)| kind)
    }
}

/// A file is no array that can be read, or an array is no whole one.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("npy: {what}: expected {expected}, found {found}")]
pub struct NpyError {
    what: &'static str,
    expected: String,
    found: String,
}

fn wrong<T>(what: &'static str, expected: impl fmt::Display, found: impl fmt::Display) -> Result<T, NpyError> {
    Err(NpyError { what, expected: expected.to_string(), found: found.to_string() })
}

/// An array: its type, its shape and its elements' bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    kind: Kind,
    shape: Vec<usize>,
    data: Vec<u8>,
}

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
const ALIGN: usize = 64;

impl Array {
    /// An array of `data`, little-endian elements in C order.
    ///
    /// # Errors
    /// If the shape takes another number of bytes.
    pub fn new(kind: Kind, shape: &[usize], data: Vec<u8>) -> Result<Self, NpyError> {
        let expected = shape.iter().try_fold(kind.bytes(), |n, d| n.checked_mul(*d));
        if expected != Some(data.len()) {
            return wrong("size", format_args!("the bytes of {} {shape:?}", kind.name()), data.len());
        }
        Ok(Self { kind, shape: shape.to_vec(), data })
    }

    /// An array of f32.
    ///
    /// # Errors
    /// As [`Array::new`].
    pub fn from_f32(shape: &[usize], values: &[f32]) -> Result<Self, NpyError> {
        Self::new(Kind::F32, shape, values.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    /// The type of the elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The dimensions, the fastest one last.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements, little-endian in C order.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The elements of an f64 array; `None` of another one.
    pub fn as_f64(&self) -> Option<Vec<f64>> {
        let words = self.data.as_chunks::<8>().0;
        (self.kind == Kind::F64).then(|| words.iter().map(|w| f64::from_le_bytes(*w)).collect())
    }

    /// The file.
    pub fn to_file(&self) -> Vec<u8> {
        let mut file = header(self.kind, &self.shape);
        file.extend_from_slice(&self.data);
        file
    }

    /// The array of a file.
    ///
    /// # Errors
    /// If it is no such file, of a type or order that is not supported, or longer or shorter than its header says.
    pub fn from_file(file: &[u8]) -> Result<Self, NpyError> {
        let Some(rest) = file.strip_prefix(MAGIC) else {
            return wrong("start", "an npy file of version 1.0", format_args!("{} other bytes", file.len()));
        };
        let parts = rest.split_first_chunk::<2>().and_then(|(len, rest)| {
            let (header, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
            Some((std::str::from_utf8(header).ok()?, data))
        });
        let Some((header, data)) = parts else { return wrong("header", "text of its length", "less, or other bytes") };
        let (kind, shape) = parse_header(header)?;
        Self::new(kind, &shape, data.to_vec())
    }
}

/// What a file starts with; the elements follow.
pub fn header(kind: Kind, shape: &[usize]) -> Vec<u8> {
    let mut dims = String::new();
    for (i, d) in shape.iter().enumerate() {
        let _ = write!(dims, "{}{d}", if i > 0 { ", " } else { "" });
    }
    let comma = if shape.len() == 1 { "," } else { "" };
    let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({dims}{comma}), }}", kind.name());
    let padded = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(ALIGN) - MAGIC.len() - 2;
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&u16::try_from(padded).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(format!("{text:<width$}\n", width = padded - 1).as_bytes());
    out
}

/// Reads a header: a Python dictionary of three entries.
fn parse_header(text: &str) -> Result<(Kind, Vec<usize>), NpyError> {
    let found = text.trim();
    let name = between(text, "'descr': '", "'").unwrap_or(found);
    let Some(kind) = Kind::from_name(name) else { return wrong("type", "a little-endian number", name) };
    if !text.contains("'fortran_order': False") {
        return wrong("order", "C order", found);
    }
    let Some(dims) = between(text, "'shape': (", ")") else { return wrong("shape", "a tuple", found) };
    let dims = dims.split(',').map(str::trim).filter(|d| !d.is_empty());
    match dims.map(str::parse).collect() {
        Ok(shape) => Ok((kind, shape)),
        Err(_) => wrong("shape", "whole numbers", found),
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `numpy.save` writes for `numpy.array([[1, -2, 3.5]], dtype="<f4")`.
    const FILE: &[u8] = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }\
        \x20                                                         \n\0\0\x80?\0\0\0\xc0\0\0`@";

    #[test]
    fn files_are_those_of_numpy() {
        let array = Array::from_f32(&[1, 3], &[1.0, -2.0, 3.5]).unwrap();
        assert_eq!(array.to_file(), FILE);
        assert_eq!(Array::from_file(FILE).unwrap(), array);
    }

    #[test]
    fn every_kind_and_rank_comes_back() {
        for (kind, _, bytes) in Kind::ALL {
            for shape in [&[][..], &[0], &[3], &[2, 0], &[2, 1, 3]] {
                let data = vec![7; bytes * shape.iter().product::<usize>()];
                let array = Array::new(kind, shape, data).unwrap();
                let file = array.to_file();
                assert_eq!((file.len() - array.data().len()) % 64, 0);
                assert_eq!(Array::from_file(&file).unwrap(), array);
            }
        }
        let array = Array::new(Kind::F64, &[1], 2.5f64.to_le_bytes().to_vec()).unwrap();
        assert_eq!((array.as_f64(), Array::from_f32(&[], &[1.0]).unwrap().as_f64()), (Some(vec![2.5]), None));
    }

    #[test]
    fn bad_files_are_refused() {
        for len in 0..FILE.len() {
            assert!(Array::from_file(&FILE[..len]).is_err(), "{len}");
        }
        let change = |from: &str, to: &str| {
            let at = FILE.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
            let mut file = FILE.to_vec();
            file[at..at + from.len()].copy_from_slice(to.as_bytes());
            Array::from_file(&file)
        };
        for (from, to) in
            [("<f4", ">f4"), ("False", "True "), ("(1, 3)", "(9, 3)"), ("(1, 3)", "(-1,3)"), ("'shape'", "'shope'")]
        {
            assert!(change(from, to).is_err(), "{to}");
        }
        assert!(Array::new(Kind::F32, &[usize::MAX, 8], vec![]).is_err());
        let longer = [FILE, b"\0"].concat();
        assert!(Array::from_file(&longer).is_err());
    }
}
