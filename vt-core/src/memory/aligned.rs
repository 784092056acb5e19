//! Owned memory for tensors, arenas and caches.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use memmap2::MmapMut;
use thiserror::Error;

/// The alignment of owned memory, in bytes: a cache line, and the widest vector.
pub const ALIGNMENT: usize = 64;

/// The allocator's own alignment: asking it for more makes it write zeros to every page.
const ALLOCATOR_ALIGNMENT: usize = 16;

/// Bytes of a large page.
const LARGE_PAGE: usize = 2 << 20;

/// Memory could not be reserved.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("could not reserve {bytes} bytes of memory")]
pub struct OutOfMemory {
    /// How much was asked for.
    pub bytes: usize,
}

/// A fixed block of zeroed memory, aligned to 64 bytes, whose pages cost nothing until they are touched.
pub struct Aligned {
    backing: Backing,
    start: NonNull<u8>,
    len: usize,
}

/// Where a block is.
enum Backing {
    Heap {
        allocation: NonNull<u8>,
        layout: Layout,
    },
    /// Pages of its own, kept for being unmapped in the end.
    Pages {
        _pages: MmapMut,
    },
}

// SAFETY: the block is owned, plain memory; access follows the borrow of `Aligned`.
unsafe impl Send for Aligned {}
// SAFETY: as above.
unsafe impl Sync for Aligned {}

impl Aligned {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the allocator refuses.
    pub fn zeroed(len: usize) -> Result<Self, OutOfMemory> {
        let full = len.checked_add(ALIGNMENT).ok_or(OutOfMemory { bytes: len })?;
        let layout = Layout::from_size_align(full, ALLOCATOR_ALIGNMENT).map_err(|_| OutOfMemory { bytes: len })?;
        // SAFETY: the layout's size is at least ALIGNMENT, so not zero.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(OutOfMemory { bytes: len })?;
        let skip = allocation.as_ptr().align_offset(ALIGNMENT);
        // SAFETY: skip < ALIGNMENT, and the allocation is ALIGNMENT longer than `len`.
        let start = unsafe { allocation.add(skip) };
        Ok(Self { backing: Backing::Heap { allocation, layout }, start, len })
    }

    /// `len` zero bytes, in large pages where the system has them: for memory that is walked all over, where looking up
    /// small pages takes time. A large page is resident as a whole as soon as a byte of it is touched.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the system refuses.
    pub fn zeroed_in_large_pages(len: usize) -> Result<Self, OutOfMemory> {
        if len < LARGE_PAGE {
            return Self::zeroed(len);
        }
        if len > isize::MAX as usize {
            return Err(OutOfMemory { bytes: len });
        }
        let mut pages = MmapMut::map_anon(len).map_err(|_| OutOfMemory { bytes: len })?;
        // Without them it is slower, and nothing else.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = pages.advise(memmap2::Advice::HugePage);
        let start = NonNull::from(&mut pages[..]).cast();
        Ok(Self { backing: Backing::Pages { _pages: pages }, start, len })
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: `len` initialized bytes from `start`, borrowed from self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, to be written.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_bytes`, borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// The first byte, for the walk, which hands disjoint parts to workers.
    pub(crate) fn base(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if let Backing::Heap { allocation, layout } = self.backing {
            // SAFETY: allocated in `zeroed` with this layout.
            unsafe { dealloc(allocation.as_ptr(), layout) }
        }
    }
}

impl fmt::Debug for Aligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aligned({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zero() {
        for len in [0, 1, 63, 64, 1000, LARGE_PAGE, 2 * LARGE_PAGE + 5] {
            for m in [Aligned::zeroed(len), Aligned::zeroed_in_large_pages(len)] {
                let mut m = m.unwrap();
                assert_eq!(m.as_bytes().as_ptr().align_offset(ALIGNMENT), 0);
                assert!(m.as_bytes().iter().all(|b| *b == 0) && m.len() == len);
                m.as_bytes_mut().fill(7);
            }
        }
    }

    #[test]
    fn too_much_is_an_error() {
        assert_eq!(Aligned::zeroed(usize::MAX).unwrap_err(), OutOfMemory { bytes: usize::MAX });
        assert!(Aligned::zeroed(isize::MAX as usize - 100).is_err());
        assert_eq!(Aligned::zeroed_in_large_pages(usize::MAX).unwrap_err(), OutOfMemory { bytes: usize::MAX });
        assert!(Aligned::zeroed_in_large_pages(isize::MAX as usize - 100).is_err());
    }
}
