//! Building a registry.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use super::erased::{AnyKernel, Erased};
use super::{Decomposition, Device, Fusion, Registry};
use crate::OpError;
use crate::graph::{Fused, Graph, NodeId, Recorder, Value};
use crate::kernel::Kernel;
use crate::op::{self, AnyOp, Op, OpEntry};

/// A registration clashes with another, or lacks what it needs.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two op types have one name.
    #[error("two ops are named `{0}`")]
    OpName(&'static str),
    /// Two devices have one name.
    #[error("two devices are named `{0}`")]
    DeviceName(&'static str),
    /// Two kernels of an op on a device have one name.
    #[error("two kernels of {op} on `{device}` are named `{kernel}`")]
    KernelName {
        /// The op.
        op: &'static str,
        /// The device.
        device: &'static str,
        /// The name.
        kernel: String,
    },
    /// A kernel is for a device that is not registered.
    #[error("kernel `{kernel}` of {op} is for device `{device}`, which is not registered")]
    NoDevice {
        /// The op.
        op: &'static str,
        /// The device.
        device: &'static str,
        /// The kernel.
        kernel: String,
    },
    /// An op has two decompositions.
    #[error("{0} has two decompositions")]
    Decomposition(&'static str),
    /// Two fusions have one name.
    #[error("two fusions are named `{0}`")]
    FusionName(&'static str),
}

/// What is registered so far. Mistakes are reported by [`Builder::build`].
pub struct Builder {
    ops: HashMap<&'static str, OpEntry>,
    kernels: HashMap<(TypeId, &'static str), Vec<Registered>>,
    devices: Vec<Arc<dyn Device>>,
    decompositions: HashMap<TypeId, Decomposition>,
    fusions: Vec<Fusion>,
    errors: Vec<RegistryError>,
}

struct Registered {
    op: &'static str,
    kernel: Arc<dyn AnyKernel>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            ops: op::entries().into_iter().map(|e| (e.name, e)).collect(),
            kernels: HashMap::new(),
            devices: Vec::new(),
            decompositions: HashMap::new(),
            fusions: Vec::new(),
            errors: Vec::new(),
        }
    }
}

impl Builder {
    /// Registers everything that `register` does: `builder.with(vt_ops::register)`.
    pub fn with(mut self, register: impl FnOnce(&mut Builder)) -> Self {
        register(&mut self);
        self
    }

    /// Registers an op. The ops of this crate, and those of kernels, are registered already.
    pub fn op<O: Op>(&mut self) {
        let entry = OpEntry::of::<O>();
        if self.ops.insert(O::NAME, entry).is_some_and(|other| other.id != entry.id) {
            self.errors.push(RegistryError::OpName(O::NAME));
        }
    }

    /// Registers a device.
    pub fn device(&mut self, device: Arc<dyn Device>) {
        if self.devices.iter().any(|d| d.name() == device.name()) {
            self.errors.push(RegistryError::DeviceName(device.name()));
        }
        self.devices.push(device);
    }

    /// Registers a kernel of an op on the device of that name.
    pub fn kernel<O: Op>(&mut self, device: &'static str, kernel: impl Kernel<O>) {
        self.op::<O>();
        let kernel: Arc<dyn AnyKernel> = Arc::new(Erased::new(kernel));
        let list = self.kernels.entry((TypeId::of::<O>(), device)).or_default();
        if list.iter().any(|r| r.kernel.name() == kernel.name()) {
            let kernel = kernel.name().to_owned();
            self.errors.push(RegistryError::KernelName { op: O::NAME, device, kernel });
        } else {
            list.push(Registered { op: O::NAME, kernel });
        }
    }

    /// Takes back the kernels for which `which(op, device, kernel)` holds.
    pub fn without(mut self, which: impl Fn(&str, &str, &str) -> bool) -> Self {
        for ((_, device), list) in &mut self.kernels {
            list.retain(|r| !which(r.op, device, r.kernel.name()));
        }
        self
    }

    /// Registers how an op is made of others, with equal bits.
    pub fn decompose<O: Op>(
        &mut self,
        make: impl Fn(&O, &dyn Recorder, &[&Value]) -> Result<Vec<Value>, OpError> + Send + Sync + 'static,
    ) {
        self.op::<O>();
        let erased = move |op: &dyn AnyOp, g: &dyn Recorder, ins: &[&Value]| match op.as_any().downcast_ref::<O>() {
            Some(op) => make(op, g, ins),
            None => Err(OpError::Unknown { name: op.name().to_owned() }),
        };
        if self.decompositions.insert(TypeId::of::<O>(), Box::new(erased)).is_some() {
            self.errors.push(RegistryError::Decomposition(O::NAME));
        }
    }

    /// Registers a fusion: `pattern` says whether a node, with what feeds it, is computed by one op, with equal bits.
    pub fn fuse(&mut self, name: &'static str, pattern: fn(&Graph, NodeId) -> Option<Fused>) {
        if self.fusions.iter().any(|f| f.name == name) {
            self.errors.push(RegistryError::FusionName(name));
        }
        self.fusions.push(Fusion { name, pattern });
    }

    /// The registry, from now on unchangeable.
    ///
    /// # Errors
    /// The first clash of names, or a kernel for an unknown device.
    pub fn build(self) -> Result<Registry, RegistryError> {
        if let Some(error) = self.errors.first().cloned().or_else(|| self.homeless()) {
            return Err(error);
        }
        let Self { ops, kernels, devices, decompositions, fusions, .. } = self;
        let mut ops: Vec<OpEntry> = ops.into_values().collect();
        ops.sort_by_key(|e| e.name);
        let kernels = kernels.into_iter().map(|(key, list)| (key, sorted(list))).collect();
        Ok(Registry { ops, kernels, devices, decompositions, fusions })
    }

    /// The first kernel, by op and device, whose device is not registered.
    fn homeless(&self) -> Option<RegistryError> {
        let known = |device: &str| self.devices.iter().any(|d| d.name() == device);
        let lists = self.kernels.iter().filter(|((_, device), _)| !known(device));
        let firsts = lists.filter_map(|((_, device), list)| Some((list.first()?, *device)));
        let (first, device) = firsts.min_by_key(|(r, device)| (r.op, *device))?;
        Some(RegistryError::NoDevice { op: first.op, device, kernel: first.kernel.name().to_owned() })
    }
}

/// The highest priority first, of equals the first by name: a total order.
fn sorted(list: Vec<Registered>) -> Vec<Arc<dyn AnyKernel>> {
    let mut kernels: Vec<_> = list.into_iter().map(|r| r.kernel).collect();
    kernels.sort_by(|a, b| b.priority().cmp(&a.priority()).then_with(|| a.name().cmp(b.name())));
    kernels
}
