//! The first 24 bytes of a file.

use crate::cursor::{At, Cursor};
use crate::error::Fault;

/// The least bytes of a metadata entry: a key's length, a byte of key, a type, a byte of value.
const MIN_ENTRY: u64 = 8 + 1 + 4 + 1;

/// The least bytes of a tensor info: a name's length, a byte of name, no dimensions, a type, an offset.
const MIN_TENSOR_INFO: u64 = 8 + 1 + 4 + 4 + 8;

/// What the header states. The rest of the file is long enough for either count.
pub(super) struct Header {
    pub version: u32,
    pub tensors: u64,
    pub entries: u64,
}

impl Header {
    /// Reads the header of a file, and leaves the cursor behind it.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        if !cursor.rest().starts_with(b"GGUF") {
            return Err(Fault::NotGguf { cause: likely_cause(cursor.rest()) });
        }
        cursor.set_place(At::Header);
        cursor.take(4)?;
        let version = cursor.u32()?;
        if let Some(cause) = refused_version(version) {
            return Err(Fault::Version { version, cause });
        }
        let tensors = cursor.count(MIN_TENSOR_INFO, "tensors")?;
        let entries = cursor.count(MIN_ENTRY, "metadata entries")?;
        Ok(Self { version, tensors, entries })
    }
}

fn refused_version(version: u32) -> Option<&'static str> {
    match version {
        2 | 3 => None,
        0 => Some("the file is damaged"),
        1 => Some("the first version, with 32-bit counts; convert the model again"),
        _ if version & 0xffff == 0 => Some("the file is big-endian; a little-endian one is needed"),
        _ => Some("the file is newer than this program, or damaged"),
    }
}

/// What a file that does not start with `GGUF` may be.
fn likely_cause(file: &[u8]) -> &'static str {
    const STARTS: [(&[u8], &str); 12] = [
        (b"<!DO", "it is an HTML page; the download returned a web page instead of the model"),
        (b"<!do", "it is an HTML page; the download returned a web page instead of the model"),
        (b"<htm", "it is an HTML page; the download returned a web page instead of the model"),
        (b"version https://git-lfs", "it is a Git LFS pointer; fetch the file itself with `git lfs pull`"),
        (b"PK\x03\x04", "it is a zip archive, perhaps a PyTorch checkpoint; convert it to GGUF"),
        (b"tjgg", "it is a GGJT file, an old format of ggml; convert the model again"),
        (b"fmgg", "it is a GGMF file, an old format of ggml; convert the model again"),
        (b"lmgg", "it is a GGML file, an old format of ggml; convert the model again"),
        (b"algg", "it is a GGLA file, an adapter in an old format of ggml; convert it again"),
        (b"FUGG", "its magic number is byte-swapped; a little-endian file is needed"),
        (b"\x1f\x8b", "it is compressed with gzip; decompress it"),
        (b"\0\0\0\0", "it starts with zeros; the download may be unfinished"),
    ];
    if file.is_empty() {
        return "the file is empty";
    }
    if file.get(8) == Some(&b'{') {
        return "it seems to be a safetensors file; convert it to GGUF";
    }
    let known = STARTS.into_iter().find(|(start, _)| file.starts_with(start));
    known.map_or("it does not start with `GGUF`", |(_, cause)| cause)
}
