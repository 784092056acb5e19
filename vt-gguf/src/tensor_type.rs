//! The types of tensors that a file can hold, also those that vt does not compute in.

use std::fmt;

use vt_core::DType;

/// The type of a tensor in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorType {
    /// One that vt has.
    Known(DType),
    /// One of the format's that vt does not have: such a tensor can be listed, not used.
    Foreign(ForeignType),
}

/// A type of the format that vt does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignType {
    id: u32,
    name: &'static str,
    block_elems: u64,
    block_bytes: u64,
}

const fn foreign(id: u32, name: &'static str, block_elems: u64, block_bytes: u64) -> ForeignType {
    ForeignType { id, name, block_elems, block_bytes }
}

/// The format's other types (`ggml.h`, `ggml-common.h`). What is in neither table was removed from the format (4, 5,
/// 31 to 33, 36 to 38), or is newer than this.
const FOREIGN: [ForeignType; 16] = [
    foreign(9, "q8_1", 32, 36),
    foreign(15, "q8_k", 256, 292),
    foreign(16, "iq2_xxs", 256, 66),
    foreign(17, "iq2_xs", 256, 74),
    foreign(18, "iq3_xxs", 256, 98),
    foreign(19, "iq1_s", 256, 50),
    foreign(20, "iq4_nl", 32, 18),
    foreign(21, "iq3_s", 256, 110),
    foreign(22, "iq2_s", 256, 82),
    foreign(23, "iq4_xs", 256, 136),
    foreign(29, "iq1_m", 256, 56),
    foreign(34, "tq1_0", 256, 54),
    foreign(35, "tq2_0", 256, 66),
    foreign(40, "nvfp4", 64, 36),
    foreign(41, "q1_0", 128, 18),
    foreign(42, "q2_0", 64, 18),
];

impl TensorType {
    /// The type of that number in a file.
    pub fn from_gguf_id(id: u32) -> Option<Self> {
        let known = DType::from_gguf_id(id).map(TensorType::Known);
        known.or_else(|| FOREIGN.into_iter().find(|f| f.id == id).map(TensorType::Foreign))
    }

    /// The type's number in a file; `None` for a type of vt's that files cannot hold.
    pub fn gguf_id(self) -> Option<u32> {
        match self {
            TensorType::Known(dtype) => dtype.gguf_id(),
            TensorType::Foreign(foreign) => Some(foreign.id),
        }
    }

    /// The name: `q4_k`, `iq4_xs`.
    pub fn name(self) -> &'static str {
        match self {
            TensorType::Known(dtype) => dtype.name(),
            TensorType::Foreign(foreign) => foreign.name,
        }
    }

    /// The type, if vt has it.
    pub fn dtype(self) -> Option<DType> {
        match self {
            TensorType::Known(dtype) => Some(dtype),
            TensorType::Foreign(_) => None,
        }
    }

    /// Elements in a block; 1 for a type that is not a block type.
    pub fn block_elems(self) -> u64 {
        match self {
            TensorType::Known(dtype) => dtype.block_elems() as u64,
            TensorType::Foreign(foreign) => foreign.block_elems,
        }
    }

    /// Bytes in a block; the element's size for a type that is not a block type.
    pub fn block_bytes(self) -> u64 {
        match self {
            TensorType::Known(dtype) => dtype.block_bytes() as u64,
            TensorType::Foreign(foreign) => foreign.block_bytes,
        }
    }

    /// The bytes of a tensor of dimensions `ne`, the fastest first: rows of whole blocks.
    pub(crate) fn tensor_bytes(self, ne: &[u64]) -> Result<u64, SizeFault> {
        let cols = ne.first().copied().unwrap_or(1);
        if !cols.is_multiple_of(self.block_elems()) {
            return Err(SizeFault::Ragged);
        }
        // A zero must not hide that the other dimensions overflow.
        let nonzero = ne.iter().filter(|n| **n > 0).try_fold(1u64, |all, n| all.checked_mul(*n));
        let elems = nonzero.filter(|n| *n <= i64::MAX as u64).ok_or(SizeFault::TooLarge)?;
        let bytes = (elems / self.block_elems()).checked_mul(self.block_bytes());
        let bytes = bytes.filter(|n| *n <= i64::MAX as u64).ok_or(SizeFault::TooLarge)?;
        Ok(if ne.contains(&0) { 0 } else { bytes })
    }
}

/// Why dimensions have no size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeFault {
    Ragged,
    TooLarge,
}

impl From<DType> for TensorType {
    fn from(dtype: DType) -> Self {
        TensorType::Known(dtype)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_43_is_a_type_or_was_removed() {
        let removed = [4, 5, 31, 32, 33, 36, 37, 38];
        for id in 0..43 {
            assert_eq!(TensorType::from_gguf_id(id).is_none(), removed.contains(&id), "{id}");
        }
        assert_eq!(TensorType::from_gguf_id(43), None);
    }

    #[test]
    fn a_type_that_vt_has_is_not_listed_as_foreign() {
        for f in FOREIGN {
            assert_eq!(DType::from_gguf_id(f.id), None, "{}", f.name);
            assert_eq!(TensorType::from_gguf_id(f.id).and_then(|t| t.gguf_id()), Some(f.id));
        }
    }

    #[test]
    fn sizes_are_of_rows_of_whole_blocks() {
        let q4k = TensorType::Known(DType::Q4K);
        assert_eq!(q4k.tensor_bytes(&[512, 3]), Ok(864));
        assert_eq!(q4k.tensor_bytes(&[128, 2]), Err(SizeFault::Ragged));
        assert_eq!(q4k.tensor_bytes(&[]), Err(SizeFault::Ragged));
        assert_eq!(q4k.tensor_bytes(&[0, 3]), Ok(0));
        let f32 = TensorType::Known(DType::F32);
        assert_eq!(f32.tensor_bytes(&[]), Ok(4));
        assert_eq!(f32.tensor_bytes(&[0, 1 << 40, 1 << 40]), Err(SizeFault::TooLarge));
        assert_eq!(f32.tensor_bytes(&[1 << 62]), Err(SizeFault::TooLarge));
        let i8 = TensorType::Known(DType::I8);
        assert_eq!(i8.tensor_bytes(&[i64::MAX as u64]), Ok(i64::MAX as u64));
        assert_eq!(i8.tensor_bytes(&[i64::MAX as u64 + 1]), Err(SizeFault::TooLarge));
        assert_eq!(TensorType::from_gguf_id(20).unwrap().tensor_bytes(&[64, 2]), Ok(72));
    }
}
