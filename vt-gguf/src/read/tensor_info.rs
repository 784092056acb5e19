//! What a file states of a tensor.

use std::ops::Range;

use crate::cursor::{At, Cursor};
use crate::error::Fault;
use crate::tensor_type::{SizeFault, TensorType};
use crate::{MAX_DIMS, MAX_TENSOR_NAME};

/// A tensor of a file, without its bytes.
#[derive(Clone, Debug)]
pub struct TensorInfo<'a> {
    name: &'a str,
    tensor_type: TensorType,
    rank: usize,
    shape: [usize; MAX_DIMS],
    offset: u64,
    bytes: u64,
    shard: usize,
}

impl<'a> TensorInfo<'a> {
    /// The name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The type.
    pub fn tensor_type(&self) -> TensorType {
        self.tensor_type
    }

    /// The dimensions, the fastest one last (a file has them the other way round).
    pub fn shape(&self) -> &[usize] {
        self.shape.get(..self.rank).unwrap_or(&[])
    }

    /// Where its bytes start, from the start of the file that holds it.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of its bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Which of the set's files holds it, from 0.
    pub fn shard(&self) -> usize {
        self.shard
    }

    /// Its bytes in the file.
    pub(super) fn range(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        Some(start..start.checked_add(usize::try_from(self.bytes).ok()?)?)
    }
}

/// Where the tensors' bytes are in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    pub start: u64,
    pub alignment: u64,
    pub file_len: u64,
}

impl Data {
    /// The data behind infos that end at `end`.
    pub fn after(end: u64, alignment: u64, file_len: u64) -> Self {
        Self { start: end.next_multiple_of(alignment), alignment, file_len }
    }
}

/// A tensor info as the file has it: the offset is from the start of the data.
pub(super) struct RawInfo<'a> {
    info: TensorInfo<'a>,
    /// Where the offset stands, for messages.
    offset_at: u64,
}

impl<'a> RawInfo<'a> {
    /// Reads and checks an info, and leaves the cursor behind it.
    pub fn read(cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        let name = read_name(cursor)?;
        let (ne, rank) = read_dims(cursor)?;
        let type_at = cursor.offset();
        let tensor_type = read_type(cursor)?;
        let ne = ne.get(..rank).unwrap_or(&[]);
        let bytes =
            tensor_type.tensor_bytes(ne).map_err(|fault| size_fault(cursor, type_at, tensor_type, ne, fault))?;
        let mut shape = [0; MAX_DIMS];
        for (to, from) in shape.iter_mut().zip(ne.iter().rev()) {
            *to = usize::try_from(*from).map_err(|_| cursor.invalid(type_at, "dimensions that fit in memory", from))?;
        }
        let offset_at = cursor.offset();
        let offset = cursor.u64()?;
        Ok(Self { info: TensorInfo { name, tensor_type, rank, shape, offset, bytes, shard: 0 }, offset_at })
    }

    /// The info with its offset from the start of the file, if all of its bytes are there.
    pub fn place(self, data: Data, shard: usize) -> Result<TensorInfo<'a>, Fault> {
        let Self { info, offset_at } = self;
        let fault = |expected: String, found: String| {
            let place = At::Tensor(info.name.as_bytes()).into();
            Fault::Invalid { place, offset: offset_at, expected, found }
        };
        if !info.offset.is_multiple_of(data.alignment) {
            return Err(fault(format!("an offset that is a multiple of {}", data.alignment), info.offset.to_string()));
        }
        let available = data.file_len.saturating_sub(data.start);
        if info.offset > available || info.bytes > available - info.offset {
            let expected = format!("its bytes in the {available} bytes of data: the file is cut short or damaged");
            return Err(fault(expected, format!("{} bytes at offset {}", info.bytes, info.offset)));
        }
        Ok(TensorInfo { offset: data.start + info.offset, shard, ..info })
    }
}

fn read_name<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let offset = cursor.offset();
    let bytes = cursor.string()?;
    cursor.set_place(At::Tensor(bytes));
    if bytes.is_empty() {
        return Err(cursor.invalid(offset, "a tensor's name", "an empty one"));
    }
    if bytes.len() > MAX_TENSOR_NAME {
        let expected = format!("a name of at most {MAX_TENSOR_NAME} bytes");
        return Err(cursor.invalid(offset, expected, format!("{} bytes", bytes.len())));
    }
    if bytes.contains(&0) {
        return Err(cursor.invalid(offset, "a name without zero bytes", "one with"));
    }
    std::str::from_utf8(bytes).map_err(|_| cursor.invalid(offset, "a name of UTF-8", "other bytes"))
}

/// The dimensions as the file has them, the fastest first, and how many there are.
fn read_dims(cursor: &mut Cursor<'_>) -> Result<([u64; MAX_DIMS], usize), Fault> {
    let offset = cursor.offset();
    let n = cursor.u32()?;
    let rank = usize::try_from(n).ok().filter(|rank| *rank <= MAX_DIMS);
    let rank = rank.ok_or_else(|| cursor.invalid(offset, format!("at most {MAX_DIMS} dimensions"), n))?;
    let mut ne = [0; MAX_DIMS];
    for dim in ne.iter_mut().take(rank) {
        let offset = cursor.offset();
        *dim = cursor.u64()?;
        if *dim > i64::MAX as u64 {
            return Err(cursor.invalid(offset, "a dimension of at most 2^63 - 1", *dim));
        }
    }
    Ok((ne, rank))
}

fn read_type(cursor: &mut Cursor<'_>) -> Result<TensorType, Fault> {
    let offset = cursor.offset();
    let id = cursor.u32()?;
    let expected = "a tensor type of the format (it may be removed, or newer than this program)";
    TensorType::from_gguf_id(id).ok_or_else(|| cursor.invalid(offset, expected, format!("type {id}")))
}

fn size_fault(cursor: &Cursor<'_>, offset: u64, tensor_type: TensorType, ne: &[u64], fault: SizeFault) -> Fault {
    match fault {
        SizeFault::Ragged => {
            let expected = format!("rows of whole {tensor_type} blocks of {}", tensor_type.block_elems());
            let cols = ne.first().copied().unwrap_or(1);
            cursor.invalid(offset, expected, format!("rows of {cols} elements"))
        }
        SizeFault::TooLarge => {
            cursor.invalid(offset, "fewer than 2^63 elements and bytes", format!("dimensions {ne:?}"))
        }
    }
}
