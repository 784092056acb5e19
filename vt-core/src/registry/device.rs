//! Devices.

use std::fmt;
use std::sync::Arc;

use crate::RunError;
use crate::memory::DeviceMemory;
use crate::plan::{Args, DeviceError, Segment};

/// Something that runs kernels.
pub trait Device: fmt::Debug + Send + Sync + 'static {
    /// Its name, unique in a registry.
    fn name(&self) -> &'static str;

    /// The number of workers that share a step: the size of the team that runs segments.
    fn workers(&self) -> usize {
        1
    }

    /// Its own memory; `None` if its kernels work in the host's.
    fn store(&self) -> Option<&dyn DeviceStore> {
        None
    }

    /// Runs a segment of a plan: [`Segment::run`] with the device's team.
    ///
    /// # Errors
    /// If a kernel or the device fails.
    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError>;
}

/// Memory that the host reaches only by copying.
///
/// The operands of the device's steps lie in it, several in one block. The state of sequences is always in the
/// host's memory, so ops on state run on a device that works there.
pub trait DeviceStore: Send + Sync {
    /// Reserves memory, zeroed.
    ///
    /// # Errors
    /// If there is not enough.
    fn alloc(&self, bytes: usize) -> Result<Arc<dyn DeviceMemory>, DeviceError>;

    /// Copies to the device, after everything that was asked of it before: memory is used again and again.
    ///
    /// # Errors
    /// If the range is outside the memory, or the device fails.
    fn upload(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device, after everything that was asked of it before.
    ///
    /// # Errors
    /// As [`DeviceStore::upload`].
    fn download(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Waits until everything that was asked of the device is done.
    ///
    /// # Errors
    /// If the device failed.
    fn synchronize(&self) -> Result<(), DeviceError>;
}
