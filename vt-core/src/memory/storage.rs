//! Where a tensor's bytes are.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Aligned;

/// Something that owns bytes at a fixed address, such as a mapped file.
pub trait Bytes: AsRef<[u8]> + Send + Sync + 'static {}

impl<T: AsRef<[u8]> + Send + Sync + 'static> Bytes for T {}

/// A block of a device's own memory.
pub trait DeviceMemory: fmt::Debug + Send + Sync + 'static {
    /// The number of bytes.
    fn len(&self) -> usize;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Itself, for the device's kernels to downcast.
    fn as_any(&self) -> &dyn Any;
}

/// A tensor's bytes. Cloning shares them.
#[derive(Clone)]
pub enum Storage {
    /// Memory of its own, 64-byte aligned.
    Owned(Arc<Aligned>),
    /// A range of somebody's bytes, usually of a mapped file, kept alive as long as this.
    Mapped {
        /// Who owns the bytes.
        owner: Arc<dyn Bytes>,
        /// Which of them.
        range: Range<usize>,
    },
    /// A device's memory that the host cannot see.
    Device(Arc<dyn DeviceMemory>),
}

impl Storage {
    /// A range of `owner`'s bytes; `None` if it has no such range.
    pub fn mapped(owner: Arc<dyn Bytes>, range: Range<usize>) -> Option<Self> {
        let bytes: &[u8] = (*owner).as_ref();
        bytes.get(range.clone())?;
        Some(Storage::Mapped { owner, range })
    }

    /// Some of the bytes, shared; `None` if there are no such bytes, or only a device can see them.
    pub fn part(&self, part: Range<usize>) -> Option<Self> {
        match self {
            Storage::Owned(memory) => Self::mapped(Arc::clone(memory) as Arc<dyn Bytes>, part),
            Storage::Mapped { owner, range } => {
                let end = range.start.checked_add(part.end).filter(|end| *end <= range.end)?;
                Self::mapped(Arc::clone(owner), range.start + part.start..end)
            }
            Storage::Device(_) => None,
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Storage::Owned(m) => m.len(),
            Storage::Mapped { range, .. } => range.len(),
            Storage::Device(m) => m.len(),
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, unless only a device can see them.
    pub fn host(&self) -> Option<&[u8]> {
        match self {
            Storage::Owned(m) => Some(m.as_bytes()),
            Storage::Mapped { owner, range } => (**owner).as_ref().get(range.clone()),
            Storage::Device(_) => None,
        }
    }

    /// Whether both are the same bytes, not just equal ones.
    pub fn same(&self, other: &Storage) -> bool {
        match (self, other) {
            (Storage::Owned(a), Storage::Owned(b)) => Arc::ptr_eq(a, b),
            (Storage::Mapped { owner: a, range: r }, Storage::Mapped { owner: b, range: s }) => {
                Arc::ptr_eq(a, b) && r == s
            }
            (Storage::Device(a), Storage::Device(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Storage::Owned(m) => write!(f, "owned {} bytes", m.len()),
            Storage::Mapped { range, .. } => write!(f, "mapped bytes {range:?}"),
            Storage::Device(m) => write!(f, "device memory {m:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_part_of_the_same_bytes() {
        let mapped = Storage::mapped(Arc::new(vec![1u8, 2, 3, 4, 5]), 1..5).unwrap();
        let mut memory = Aligned::zeroed(4).unwrap();
        memory.as_bytes_mut().copy_from_slice(&[2, 3, 4, 5]);
        for whole in [mapped, Storage::Owned(Arc::new(memory))] {
            let part = whole.part(1..3).unwrap();
            assert_eq!(part.host(), Some(&[3u8, 4][..]));
            assert_eq!(part.part(1..2).unwrap().host(), Some(&[4u8][..]));
            assert!(whole.part(2..5).is_none() && part.part(0..3).is_none() && part.part(1..1).is_some());
            assert!(part.same(&whole.part(1..3).unwrap()) && !part.same(&whole));
            drop(whole);
            assert_eq!(part.host(), Some(&[3u8, 4][..]));
        }
    }

    #[test]
    fn mapped_bytes_outlive_the_handle_that_made_them() {
        let owner: Arc<dyn Bytes> = Arc::new(vec![1u8, 2, 3, 4]);
        let s = Storage::mapped(Arc::clone(&owner), 1..3).unwrap();
        drop(owner);
        assert_eq!(s.host(), Some(&[2u8, 3][..]));
        assert!(s.same(&s.clone()));
    }

    #[test]
    fn a_range_outside_is_refused() {
        let owner: Arc<dyn Bytes> = Arc::new(vec![0u8; 4]);
        assert!(Storage::mapped(owner, 2..5).is_none());
    }

    #[test]
    fn a_part_is_the_same_bytes() {
        let mut memory = Aligned::zeroed(8).unwrap();
        memory.as_bytes_mut().copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let whole = Storage::Owned(Arc::new(memory));
        let part = whole.part(2..7).unwrap();
        assert_eq!(part.host().unwrap().as_ptr(), whole.host().unwrap()[2..].as_ptr());
        assert_eq!(part.part(1..3).unwrap().host(), Some(&[3u8, 4][..]));
        assert!(part.part(5..5).is_some_and(|empty| empty.is_empty()));
        assert!(part.part(3..6).is_none(), "the byte after the part is none of its own");
        assert!(whole.part(3..9).is_none() && part.part(usize::MAX - 1..usize::MAX).is_none());
    }

    /// Memory that only says how much it is.
    #[derive(Debug)]
    struct Far(usize);

    impl DeviceMemory for Far {
        fn len(&self) -> usize {
            self.0
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn storage_is_the_same_where_its_bytes_are() {
        let owned = |len| Storage::Owned(Arc::new(Aligned::zeroed(len).unwrap()));
        let far = |len| Storage::Device(Arc::new(Far(len)));
        let owner: Arc<dyn Bytes> = Arc::new(vec![0u8; 8]);
        let other: Arc<dyn Bytes> = Arc::new(vec![0u8; 8]);
        let of = |owner: &Arc<dyn Bytes>, range| Storage::mapped(Arc::clone(owner), range).unwrap();
        let all = [owned(4), owned(4), far(4), far(4), of(&owner, 0..4), of(&owner, 4..8), of(&other, 0..4)];
        for (i, a) in all.iter().enumerate() {
            assert_eq!((a.len(), a.is_empty()), (4, false));
            assert_eq!(a.host().map(<[u8]>::len), if matches!(a, Storage::Device(_)) { None } else { Some(4) });
            for (j, b) in all.iter().enumerate() {
                assert_eq!(a.same(&b.clone()), i == j, "{a:?} {b:?}");
            }
        }
        assert!(of(&owner, 0..4).same(&all[4]));
        assert!(owned(0).is_empty() && far(0).is_empty() && of(&owner, 3..3).is_empty());
        assert!(Far(0).is_empty() && !Far(1).is_empty() && Aligned::zeroed(0).unwrap().is_empty());
    }
}
