//! Memory: owned, mapped, a device's own.

mod aligned;
mod storage;

pub use aligned::{ALIGNMENT, Aligned, OutOfMemory};
pub use storage::{Bytes, DeviceMemory, Storage};
