//! The device's memory: bytes that nothing outside of this crate can reach.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use vt::core::DeviceError;
use vt::core::memory::DeviceMemory;

use crate::STORE;

/// A block of the device's memory. Its length is fixed.
pub(crate) struct Buffer(RwLock<Vec<u8>>);

impl Buffer {
    /// Zeroed memory.
    pub(crate) fn zeroed(len: usize) -> Result<Self, DeviceError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|e| error(format!("{len} bytes: {e}")))?;
        bytes.resize(len, 0);
        Ok(Self(RwLock::new(bytes)))
    }

    /// The buffer that vt hands back as memory.
    pub(crate) fn of(memory: &dyn DeviceMemory) -> Result<&Self, DeviceError> {
        memory.as_any().downcast_ref().ok_or_else(|| error("the memory is another device's".to_owned()))
    }

    /// What `look` makes of `len` bytes from `offset` on.
    pub(crate) fn read<R>(&self, offset: usize, len: usize, look: impl FnOnce(&[u8]) -> R) -> Result<R, DeviceError> {
        let bytes = self.bytes();
        Ok(look(&bytes[range(offset, len, bytes.len())?]))
    }

    /// Replaces the bytes from `offset` on.
    pub(crate) fn write(&self, offset: usize, new: &[u8]) -> Result<(), DeviceError> {
        let mut bytes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let range = range(offset, new.len(), bytes.len())?;
        bytes[range].copy_from_slice(new);
        Ok(())
    }

    /// A thread that panicked with the lock has broken nothing: any bytes are valid.
    fn bytes(&self) -> RwLockReadGuard<'_, Vec<u8>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceMemory for Buffer {
    fn len(&self) -> usize {
        self.bytes().len()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of `{STORE}`", self.len())
    }
}

/// The range of `len` bytes from `offset` on, if memory of `size` bytes has it.
fn range(offset: usize, len: usize, size: usize) -> Result<Range<usize>, DeviceError> {
    let end = offset.checked_add(len).filter(|end| *end <= size);
    end.map(|end| offset..end).ok_or_else(|| error(format!("{len} bytes from {offset} on, of {size}")))
}

fn error(message: String) -> DeviceError {
    DeviceError { device: STORE, message }
}
