//! A device whose memory the host cannot see, with kernels for two ops.

use std::any::Any;
use std::sync::{Arc, Mutex};

use vt_core::kernel::{Io, Kernel, KernelError, RemoteOperand};
use vt_core::memory::DeviceMemory;
use vt_core::op::{Add, Silu};
use vt_core::plan::{Args, Segment, Solo};
use vt_core::registry::{Builder, Device, DeviceStore};
use vt_core::{DeviceError, RunError};

#[derive(Debug)]
pub struct Private;

#[derive(Debug)]
struct Vault(Mutex<Vec<u8>>);

impl DeviceMemory for Vault {
    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn vault(memory: &dyn DeviceMemory) -> &Vault {
    memory.as_any().downcast_ref().unwrap()
}

impl Device for Private {
    fn name(&self) -> &'static str {
        "private"
    }

    fn store(&self) -> Option<&dyn DeviceStore> {
        Some(self)
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &Solo)
    }
}

impl DeviceStore for Private {
    fn alloc(&self, bytes: usize) -> Result<Arc<dyn DeviceMemory>, DeviceError> {
        Ok(Arc::new(Vault(Mutex::new(vec![0; bytes]))))
    }

    fn upload(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        vault(memory).0.lock().unwrap()[offset..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn download(&self, memory: &dyn DeviceMemory, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        bytes.copy_from_slice(&vault(memory).0.lock().unwrap()[offset..][..bytes.len()]);
        Ok(())
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

pub struct Remote;

fn load(x: &RemoteOperand<'_>) -> Vec<f32> {
    let bytes = vault(x.memory).0.lock().unwrap()[x.offset..][..x.bytes()].to_vec();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn store(y: &RemoteOperand<'_>, values: impl Iterator<Item = f32>) {
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    vault(y.memory).0.lock().unwrap()[y.offset..][..y.bytes()].copy_from_slice(&bytes);
}

impl Kernel<Add> for Remote {
    fn name(&self) -> String {
        "remote".to_owned()
    }

    fn run(&self, _: &Add, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (a, b) = (load(&io.remote_input(0)), load(&io.remote_input(1)));
        store(&io.remote_output(0), a.iter().zip(b.iter().cycle()).map(|(a, b)| a + b));
        Ok(())
    }
}

impl Kernel<Silu> for Remote {
    fn name(&self) -> String {
        "remote".to_owned()
    }

    fn run(&self, _: &Silu, io: &mut Io<'_>) -> Result<(), KernelError> {
        store(&io.remote_output(0), load(&io.remote_input(0)).into_iter().map(|x| x / (1.0 + x * x)));
        Ok(())
    }
}

pub fn register_private(b: &mut Builder) {
    b.device(Arc::new(Private));
    b.kernel::<Add>("private", Remote);
    b.kernel::<Silu>("private", Remote);
}
