//! The device: one worker, and memory of its own.

use std::sync::Arc;

use vt::core::memory::DeviceMemory;
use vt::core::plan::{Args, Segment, Solo};
use vt::core::registry::{Device, DeviceStore};
use vt::core::{DeviceError, RunError};

use crate::STORE;
use crate::memory::Buffer;

/// The device. It holds nothing; that of a GPU would hold its queue.
#[derive(Debug)]
pub(crate) struct Store;

impl Device for Store {
    fn name(&self) -> &'static str {
        STORE
    }

    fn store(&self) -> Option<&dyn DeviceStore> {
        Some(self)
    }

    /// The steps one after the other, on the thread that runs the plan.
    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &Solo)
    }
}

impl DeviceStore for Store {
    fn alloc(&self, bytes: usize) -> Result<Arc<dyn DeviceMemory>, DeviceError> {
        Ok(Arc::new(Buffer::zeroed(bytes)?))
    }

    fn upload(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        Buffer::of(memory)?.write(offset, bytes)
    }

    fn download(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let len = bytes.len();
        Buffer::of(memory)?.read(offset, len, |stored| bytes.copy_from_slice(stored))
    }

    /// Kernels have finished when they return: there is nothing to wait for.
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}
