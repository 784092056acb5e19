//! Making files.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use thiserror::Error;
use vt_core::DType;

use super::encode::{Element, Encode, put_string};
use crate::tensor_type::{SizeFault, TensorType};
use crate::{ALIGNMENT_KEY, ALIGNMENT_RULE, DEFAULT_ALIGNMENT, MAX_DIMS, MAX_KEY, MAX_TENSOR_NAME, is_alignment};

/// The version that is written.
const VERSION: u32 = 3;

/// A file cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A metadata entry breaks a rule of the format.
    #[error("metadata key `{key}`: expected {expected}")]
    Metadata {
        /// The key.
        key: String,
        /// What the rule is.
        expected: String,
    },
    /// A tensor breaks a rule of the format.
    #[error("tensor `{name}`: expected {expected}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What the rule is.
        expected: String,
    },
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes a GGUF file: metadata and tensors are stated, then written in that order.
///
/// The same statements make the same bytes.
#[derive(Debug, Default)]
pub struct Writer<'a> {
    metadata: Vec<u8>,
    keys: HashSet<String>,
    alignment: Option<u64>,
    tensors: Vec<Stated<'a>>,
    names: HashSet<String>,
}

#[derive(Debug)]
struct Stated<'a> {
    name: String,
    type_id: u32,
    /// The fastest dimension first, as files have them.
    ne: Vec<u64>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Writer<'a> {
    /// A file without metadata and tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// States a metadata entry. `general.alignment` also sets how the tensors' bytes are aligned: to 32 bytes unless
    /// it is stated.
    ///
    /// # Errors
    /// If the key is empty, too long, has a zero byte or was stated before, or the alignment is not one.
    pub fn set(&mut self, key: &str, value: impl Encode) -> Result<&mut Self, WriteError> {
        let refuse = |expected: &str| Err(WriteError::Metadata { key: key.into(), expected: expected.into() });
        if key.is_empty() || key.len() > MAX_KEY || key.contains('\0') {
            return refuse("a key of 1 to 65535 bytes, none of them zero");
        }
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        if key == ALIGNMENT_KEY {
            let stated = <[u8; 4]>::try_from(&*bytes).ok().filter(|_| value.value_type() == u32::TYPE);
            match stated.map(|n| u64::from(u32::from_le_bytes(n))).filter(|n| is_alignment(*n)) {
                Some(alignment) => self.alignment = Some(alignment),
                None => return refuse(&format!("a u32, {ALIGNMENT_RULE}")),
            }
        }
        if !self.keys.insert(key.into()) {
            return refuse("every key once");
        }
        put_string(key.as_bytes(), &mut self.metadata);
        (value.value_type() as u32).put(&mut self.metadata);
        self.metadata.append(&mut bytes);
        Ok(self)
    }

    /// States a tensor. The shape has the fastest dimension last; `bytes` are as a [`vt_core::Tensor`] has them.
    ///
    /// # Errors
    /// If the name is empty, too long, has a zero byte or was stated before, there are more than four dimensions, files
    /// cannot hold the type, or `bytes` is not as long as type and shape say.
    pub fn tensor(
        &mut self,
        name: &str,
        dtype: DType,
        shape: &[usize],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<&mut Self, WriteError> {
        let bytes = bytes.into();
        let refuse = |expected: String| WriteError::Tensor { name: name.into(), expected };
        if name.is_empty() || name.len() > MAX_TENSOR_NAME || name.contains('\0') {
            return Err(refuse(format!("a name of 1 to {MAX_TENSOR_NAME} bytes, none of them zero")));
        }
        let type_id = dtype.gguf_id().ok_or_else(|| refuse(format!("a type that files hold, not {dtype}")))?;
        let ne: Vec<u64> = shape.iter().rev().map(|n| *n as u64).collect();
        let expected = expected_bytes(dtype, &ne).map_err(refuse)?;
        if bytes.len() as u64 != expected {
            return Err(refuse(format!("{expected} bytes for {dtype} {shape:?}, not {}", bytes.len())));
        }
        if !self.names.insert(name.into()) {
            return Err(refuse("every name once".into()));
        }
        self.tensors.push(Stated { name: name.into(), type_id, ne, bytes });
        Ok(self)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If `out` does.
    pub fn write_to(&self, mut out: impl Write) -> Result<(), WriteError> {
        let alignment = self.alignment.unwrap_or(DEFAULT_ALIGNMENT);
        let header = self.header(alignment);
        out.write_all(&header)?;
        if self.tensors.is_empty() {
            return Ok(out.flush()?);
        }
        pad(&mut out, header.len() as u64, alignment)?;
        for tensor in &self.tensors {
            out.write_all(&tensor.bytes)?;
            pad(&mut out, tensor.bytes.len() as u64, alignment)?;
        }
        Ok(out.flush()?)
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// As [`Writer::write_to`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }

    /// Everything before the tensors' bytes.
    fn header(&self, alignment: u64) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        VERSION.put(&mut out);
        (self.tensors.len() as u64).put(&mut out);
        (self.keys.len() as u64).put(&mut out);
        out.extend_from_slice(&self.metadata);
        let mut offset = 0u64;
        for tensor in &self.tensors {
            put_string(tensor.name.as_bytes(), &mut out);
            (tensor.ne.len() as u32).put(&mut out);
            tensor.ne.iter().for_each(|n| n.put(&mut out));
            tensor.type_id.put(&mut out);
            offset.put(&mut out);
            offset += (tensor.bytes.len() as u64).next_multiple_of(alignment);
        }
        out
    }
}

fn expected_bytes(dtype: DType, ne: &[u64]) -> Result<u64, String> {
    if ne.len() > MAX_DIMS {
        return Err(format!("at most {MAX_DIMS} dimensions, not {}", ne.len()));
    }
    TensorType::Known(dtype).tensor_bytes(ne).map_err(|fault| match fault {
        SizeFault::Ragged => format!("rows of whole {dtype} blocks of {}", dtype.block_elems()),
        SizeFault::TooLarge => "fewer than 2^63 elements and bytes".into(),
    })
}

fn pad(out: &mut impl Write, written: u64, alignment: u64) -> io::Result<()> {
    let zeros = written.next_multiple_of(alignment) - written;
    io::copy(&mut io::Read::take(io::repeat(0), zeros), out).map(drop)
}
