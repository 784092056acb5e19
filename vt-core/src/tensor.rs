//! Tensors: bytes that describe themselves.

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use thiserror::Error;

use crate::memory::{Aligned, OutOfMemory, Storage};
use crate::{DType, Desc, Elem, RaggedRow, View};

/// A tensor could not be made, or seen the way that was asked for.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorError {
    /// A row is no whole number of blocks.
    #[error(transparent)]
    Ragged(#[from] RaggedRow),
    /// The number of bytes does not fit in memory.
    #[error("a tensor of shape {shape:?} is larger than memory")]
    TooLarge {
        /// The shape.
        shape: SmallVec<[usize; 4]>,
    },
    /// The storage has another size.
    #[error("a {dtype} tensor of shape {shape:?} takes {expected} bytes, its storage has {found}")]
    Bytes {
        /// The type.
        dtype: DType,
        /// The shape.
        shape: SmallVec<[usize; 4]>,
        /// The bytes it needs.
        expected: usize,
        /// The bytes there are.
        found: usize,
    },
    /// The storage does not start at a multiple of the element's size.
    #[error("the bytes of a {dtype} tensor do not start at a multiple of its element's size")]
    Unaligned {
        /// The type.
        dtype: DType,
    },
    /// The elements are of another type.
    #[error("a {dtype} tensor cannot be seen as {wanted}")]
    Type {
        /// The type.
        dtype: DType,
        /// The type it was asked for as.
        wanted: &'static str,
    },
    /// There is no such part of it.
    #[error("a tensor of shape {shape:?} has no part {part:?} of its first dimension")]
    Outside {
        /// The part.
        part: Range<usize>,
        /// The shape.
        shape: SmallVec<[usize; 4]>,
    },
    /// The bytes are in a device's memory.
    #[error("the tensor's bytes are in a device's memory")]
    NotOnHost,
    /// Memory for it could not be reserved.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A dense tensor: a type, a shape (the fastest dimension last) and storage.
///
/// The shape counts elements, also of block types. Rows follow each other without gaps. Cloning shares the bytes.
#[derive(Clone, Debug)]
pub struct Tensor {
    dtype: DType,
    shape: SmallVec<[usize; 4]>,
    storage: Storage,
}

impl Tensor {
    /// A tensor over `storage`, which must be exactly as long as the shape says.
    ///
    /// # Errors
    /// [`TensorError`] for a ragged row, a size that does not fit or differs, or unaligned storage.
    pub fn new(dtype: DType, shape: &[usize], storage: Storage) -> Result<Self, TensorError> {
        let expected = byte_size(dtype, shape)?;
        if storage.len() != expected {
            let found = storage.len();
            return Err(TensorError::Bytes { dtype, shape: shape.into(), expected, found });
        }
        let align = if dtype.is_block() { 1 } else { dtype.block_bytes() };
        if storage.host().is_some_and(|b| !(b.as_ptr() as usize).is_multiple_of(align)) {
            return Err(TensorError::Unaligned { dtype });
        }
        Ok(Self { dtype, shape: shape.into(), storage })
    }

    /// A tensor of zero bytes.
    ///
    /// # Errors
    /// As [`Tensor::new`], or if memory cannot be reserved.
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Self, TensorError> {
        Self::from_aligned(dtype, shape, Aligned::zeroed(byte_size(dtype, shape)?)?)
    }

    /// A tensor of a copy of `bytes`, in large pages if they are so many.
    ///
    /// # Errors
    /// As [`Tensor::new`], or if memory cannot be reserved.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Self, TensorError> {
        let mut memory = Aligned::zeroed_in_large_pages(bytes.len())?;
        memory.as_bytes_mut().copy_from_slice(bytes);
        Self::from_aligned(dtype, shape, memory)
    }

    /// A tensor over owned memory.
    ///
    /// # Errors
    /// As [`Tensor::new`].
    pub fn from_aligned(dtype: DType, shape: &[usize], memory: Aligned) -> Result<Self, TensorError> {
        Self::new(dtype, shape, Storage::Owned(Arc::new(memory)))
    }

    /// A tensor of a copy of `values`. Block types are given as bytes, by [`Tensor::from_bytes`].
    ///
    /// # Errors
    /// As [`Tensor::new`], or if `T` is not the element of `dtype`.
    pub fn from_slice<T: Elem>(dtype: DType, shape: &[usize], values: &[T]) -> Result<Self, TensorError> {
        check_elem::<T>(dtype)?;
        // SAFETY: an `Elem` is plain data without padding, so its bytes are initialized.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        Self::from_bytes(dtype, shape, bytes)
    }

    /// A range of the first dimension, sharing the bytes: some rows of a matrix, some elements of a vector.
    ///
    /// # Errors
    /// [`TensorError::Outside`] if there is no such range, [`TensorError::NotOnHost`] if only a device can see the bytes,
    /// and as [`Tensor::new`].
    pub fn part(&self, part: Range<usize>) -> Result<Self, TensorError> {
        let outside = || TensorError::Outside { part: part.clone(), shape: self.shape.clone() };
        let (first, inner) = self.shape.split_first().ok_or_else(outside)?;
        if part.start > part.end || part.end > *first {
            return Err(outside());
        }
        let each = self.storage.len().checked_div(*first).unwrap_or(0);
        let storage = self.storage.part(part.start * each..part.end * each).ok_or(TensorError::NotOnHost)?;
        let mut shape: SmallVec<[usize; 4]> = smallvec![part.len()];
        shape.extend_from_slice(inner);
        Self::new(self.dtype, &shape, storage)
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The dimensions, the fastest one last.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type and shape.
    pub fn desc(&self) -> Desc {
        Desc::new(self.dtype, self.shape.iter().copied())
    }

    /// The storage.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The bytes, unless only a device can see them.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.storage.host()
    }

    /// The elements in order; a block type's bytes as `u8`.
    ///
    /// # Errors
    /// If `T` is not the element, or the bytes are in a device's memory.
    pub fn as_slice<T: Elem>(&self) -> Result<&[T], TensorError> {
        check_elem::<T>(self.dtype)?;
        let bytes = self.storage.host().ok_or(TensorError::NotOnHost)?;
        // Asked again, because somebody's bytes may come from elsewhere than when the tensor was made.
        if !bytes.as_ptr().cast::<T>().is_aligned() {
            return Err(TensorError::Unaligned { dtype: self.dtype });
        }
        // SAFETY: the bytes are aligned, every bit pattern of an `Elem` is a value, and the bytes are borrowed.
        Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) })
    }

    /// The elements as rows of the last dimension; a block type's rows in bytes.
    ///
    /// # Errors
    /// As [`Tensor::as_slice`].
    pub fn view<T: Elem>(&self) -> Result<View<'_, T>, TensorError> {
        let data = self.as_slice::<T>()?;
        let rows = self.shape.split_last().map_or(1, |(_, outer)| outer.iter().product());
        let cols = data.len().checked_div(rows).unwrap_or(0);
        Ok(View::new(data, rows, cols, cols))
    }
}

fn check_elem<T: Elem>(dtype: DType) -> Result<(), TensorError> {
    if T::fits(dtype) { Ok(()) } else { Err(TensorError::Type { dtype, wanted: std::any::type_name::<T>() }) }
}

fn byte_size(dtype: DType, shape: &[usize]) -> Result<usize, TensorError> {
    let too_large = || TensorError::TooLarge { shape: shape.into() };
    let cols = shape.last().copied().unwrap_or(1);
    cols.checked_mul(dtype.block_bytes()).ok_or_else(too_large)?;
    let outer = shape.split_last().map_or(&[][..], |(_, outer)| outer);
    let nonzero: Option<usize> = outer.iter().filter(|d| **d > 0).try_fold(1usize, |n, d| n.checked_mul(*d));
    let row = dtype.row_bytes(cols)?;
    let bytes = nonzero.and_then(|n| n.checked_mul(row)).filter(|n| isize::try_from(*n).is_ok());
    let empty = outer.contains(&0);
    bytes.map(|n| if empty { 0 } else { n }).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let t = Tensor::from_slice(DType::F32, &[2, 3], &[1f32, 2., 3., 4., 5., 6.]).unwrap();
        assert_eq!(t.as_slice::<f32>().unwrap()[4], 5.0);
        assert_eq!(t.view::<f32>().unwrap().row(1), &[4., 5., 6.]);
        assert_eq!((t.desc().to_string().as_str(), t.dtype(), t.shape()), ("f32 [2, 3]", DType::F32, &[2, 3][..]));
        assert_eq!(t.bytes().unwrap()[4..8], 2f32.to_le_bytes());
        assert!(matches!(t.as_slice::<i32>(), Err(TensorError::Type { .. })));
    }

    #[test]
    fn a_part_shares_its_rows() {
        let t = Tensor::from_slice(DType::F32, &[4, 1, 2], &[0f32, 1., 2., 3., 4., 5., 6., 7.]).unwrap();
        let part = t.part(1..3).unwrap();
        assert_eq!((part.shape(), part.as_slice::<f32>().unwrap()), (&[2, 1, 2][..], &[2f32, 3., 4., 5.][..]));
        assert!(part.storage().same(t.part(1..3).unwrap().storage()));
        assert_eq!((t.part(4..4).unwrap().shape(), t.part(0..4).unwrap().shape()), (&[0, 1, 2][..], t.shape()));
        let blocks = Tensor::zeros(DType::Q8_0, &[3, 64]).unwrap();
        assert_eq!(blocks.part(2..3).unwrap().storage().len(), 68);
        for part in [3..5, 5..5, Range { start: 2, end: 1 }] {
            let shape = t.shape().into();
            assert_eq!(t.part(part.clone()).unwrap_err(), TensorError::Outside { part, shape });
        }
        assert!(Tensor::zeros(DType::F32, &[]).unwrap().part(0..1).is_err());
    }

    #[test]
    fn sizes_are_checked() {
        assert!(matches!(Tensor::zeros(DType::Q4K, &[1, 100]), Err(TensorError::Ragged(_))));
        assert!(matches!(Tensor::zeros(DType::F32, &[usize::MAX, 4]), Err(TensorError::TooLarge { .. })));
        assert!(matches!(Tensor::zeros(DType::F32, &[0, usize::MAX, 4]), Err(TensorError::TooLarge { .. })));
        assert!(matches!(Tensor::from_bytes(DType::F32, &[2], &[0; 7]), Err(TensorError::Bytes { .. })));
        assert_eq!(Tensor::zeros(DType::F32, &[3, 0]).unwrap().view::<f32>().unwrap().rows(), 3);
    }

    #[test]
    fn a_part_shares_its_bytes() {
        let t = Tensor::from_slice(DType::F32, &[3, 2], &[1f32, 2., 3., 4., 5., 6.]).unwrap();
        let part = t.part(1..3).unwrap();
        assert_eq!((part.shape(), part.as_slice::<f32>().unwrap()), (&[2, 2][..], &[3f32, 4., 5., 6.][..]));
        assert_eq!(part.bytes().unwrap().as_ptr(), t.bytes().unwrap()[8..].as_ptr());
        assert_eq!(part.part(1..2).unwrap().as_slice::<f32>().unwrap(), &[5f32, 6.]);
        assert_eq!(t.part(2..2).unwrap().shape(), &[0, 2]);
        let vector = Tensor::from_slice(DType::F32, &[3], &[1f32, 2., 3.]).unwrap();
        assert_eq!(vector.part(1..2).unwrap().as_slice::<f32>().unwrap(), &[2f32]);
        let blocks = Tensor::from_bytes(DType::Q8_0, &[2, 32], &[7; 68]).unwrap();
        assert_eq!(blocks.part(1..2).unwrap().bytes().unwrap().len(), 34);
        assert!(matches!(Tensor::zeros(DType::Q8_0, &[64]).unwrap().part(0..3), Err(TensorError::Ragged(_))));
        assert_eq!(t.part(1..4).unwrap_err(), TensorError::Outside { part: 1..4, shape: t.shape().into() });
    }

    #[test]
    fn unaligned_floats_are_refused() {
        let owner: Arc<dyn crate::memory::Bytes> = Arc::new(Aligned8([0; 16]));
        let at = |from: usize| Storage::mapped(Arc::clone(&owner), from..from + 4).unwrap();
        assert!(Tensor::new(DType::F32, &[1], at(4)).is_ok());
        assert_eq!(Tensor::new(DType::F32, &[1], at(5)).unwrap_err(), TensorError::Unaligned { dtype: DType::F32 });
    }

    #[repr(align(8))]
    struct Aligned8([u8; 16]);

    impl AsRef<[u8]> for Aligned8 {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
}
