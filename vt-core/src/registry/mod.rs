//! The registry: which kernels compute which op on which device.

mod builder;
mod device;
mod erased;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub use builder::{Builder, RegistryError};
pub use device::{Device, DeviceStore};
pub(crate) use erased::{AnyKernel, Bound, type_of};

use crate::OpError;
use crate::graph::{Fused, Graph, NodeId, Recorder, Value};
use crate::kernel::{Call, Support};
use crate::op::{AnyOp, OpEntry};

/// How an op is made of others.
pub(crate) type Decomposition =
    Box<dyn Fn(&dyn AnyOp, &dyn Recorder, &[&Value]) -> Result<Vec<Value>, OpError> + Send + Sync>;

/// Several ops that one op computes.
#[derive(Clone, Copy)]
pub(crate) struct Fusion {
    pub name: &'static str,
    pub pattern: fn(&Graph, NodeId) -> Option<Fused>,
}

/// Ops, devices, kernels, decompositions and fusions; unchangeable once it is built.
pub struct Registry {
    ops: Vec<OpEntry>,
    kernels: HashMap<(TypeId, &'static str), Vec<Arc<dyn AnyKernel>>>,
    devices: Vec<Arc<dyn Device>>,
    decompositions: HashMap<TypeId, Decomposition>,
    fusions: Vec<Fusion>,
}

/// What a kernel answers to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Its rank.
    pub priority: i32,
    /// Its answer.
    pub support: Support,
}

impl Registry {
    /// An empty builder.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The registered ops, by name.
    pub fn ops(&self) -> &[OpEntry] {
        &self.ops
    }

    /// The registered devices.
    pub fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }

    /// The device of that name.
    pub fn device(&self, name: &str) -> Option<&Arc<dyn Device>> {
        self.devices.get(self.device_index(name)?)
    }

    /// The number of the device of that name.
    pub(crate) fn device_index(&self, name: &str) -> Option<usize> {
        self.devices.iter().position(|d| d.name() == name)
    }

    /// The device that computes what others cannot: the first that works in the host's memory.
    pub fn reference(&self) -> Option<&Arc<dyn Device>> {
        self.devices.get(self.reference_index()?)
    }

    /// The number of [`Registry::reference`].
    pub(crate) fn reference_index(&self) -> Option<usize> {
        self.devices.iter().position(|d| d.store().is_none())
    }

    /// The kernels of an op on a device with their answers to a call, best first.
    pub fn explain(&self, op: &dyn AnyOp, device: &str, call: &Call<'_>) -> Vec<KernelInfo> {
        let info = |k: &Arc<dyn AnyKernel>| KernelInfo {
            name: k.name().to_owned(),
            priority: k.priority(),
            support: k.supports(op, call),
        };
        self.candidates(op, device).iter().map(info).collect()
    }

    /// Whether the device has a kernel for the call; otherwise the reasons of all that it has.
    ///
    /// # Errors
    /// Each kernel with its reason; nothing if there is none.
    pub fn supports(&self, op: &dyn AnyOp, device: &str, call: &Call<'_>) -> Result<(), Vec<(String, String)>> {
        self.choose(op, device, call, None).map(|_| ())
    }

    /// The best kernel that supports the call, or the one of that name.
    pub(crate) fn choose(
        &self,
        op: &dyn AnyOp,
        device: &str,
        call: &Call<'_>,
        name: Option<&str>,
    ) -> Result<Arc<dyn AnyKernel>, Vec<(String, String)>> {
        let mut reasons = Vec::new();
        for kernel in self.candidates(op, device) {
            if name.is_some_and(|n| n != kernel.name()) {
                continue;
            }
            match kernel.supports(op, call) {
                Support::Yes => return Ok(Arc::clone(kernel)),
                Support::No(reason) => reasons.push((kernel.name().to_owned(), reason)),
            }
        }
        Err(reasons)
    }

    pub(crate) fn decomposition(&self, op: &dyn AnyOp) -> Option<&Decomposition> {
        self.decompositions.get(&type_of(op))
    }

    pub(crate) fn fusions(&self) -> &[Fusion] {
        &self.fusions
    }

    fn candidates(&self, op: &dyn AnyOp, device: &str) -> &[Arc<dyn AnyKernel>] {
        let kernels = self.device(device).and_then(|d| self.kernels.get(&(type_of(op), d.name())));
        kernels.map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: usize = self.kernels.values().map(Vec::len).sum();
        write!(f, "Registry({} ops, {} devices, {kernels} kernels)", self.ops.len(), self.devices.len())
    }
}
