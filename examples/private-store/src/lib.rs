//! A backend outside of vt, to learn from: a device of the name [`STORE`] whose memory the host cannot see, with
//! kernels for three ops. Everything else that a model needs runs on the CPU, by the fallback policy.
//!
//! A backend is three things, each a module here:
//!
//! 1. *Memory* (`memory`): what implements [`DeviceMemory`](vt::core::memory::DeviceMemory). vt passes it around and
//!    never looks inside.
//! 2. *A device* (`device`): what implements [`Device`](vt::core::registry::Device), which runs a segment of a plan
//!    with the device's workers, and, because the host cannot see the memory,
//!    [`DeviceStore`](vt::core::registry::DeviceStore), which reserves it and copies to and from it. Plans upload
//!    weights once, when they are made, and copy activations wherever the next op runs elsewhere.
//! 3. *Kernels* (`kernels`): for each op, what implements [`Kernel`](vt::core::kernel::Kernel) of the op's type. A
//!    kernel that cannot take a call says why in `supports`, and the plan repeats that. Its operands are
//!    [`RemoteOperand`](vt::core::kernel::RemoteOperand)s: ranges of the device's memory.
//!
//! [`register`] enters them in a registry, beside a device that works in the host's memory: that one is the reference,
//! which runs what this one lacks.
//!
//! ```
//! use vt::core::Registry;
//!
//! let cpu = vt::cpu::Config::default().backend()?;
//! let registry = Registry::builder().with(vt::ops::register).with(cpu).with(vt_private_store::register).build()?;
//! assert!(registry.devices().iter().any(|device| device.name() == vt_private_store::STORE));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A model is then loaded for the device by its name, with [`Fallback::Reference`](vt::core::plan::Fallback). Each op
//! has one defined result, so the logits have the same bits as on the CPU; the tests hold the device to that, and
//! [`vt::check::check_device`] replays the goldens of its ops.
//!
//! State, such as keys and values, is in the host's memory: ops that read or write it always run on the reference.

#![forbid(unsafe_code)]

mod device;
mod kernels;
mod memory;

use std::sync::Arc;

use vt::core::registry::Builder;

/// The device's name.
pub const STORE: &str = "store";

/// Registers the device and its kernels.
pub fn register(builder: &mut Builder) {
    builder.device(Arc::new(device::Store));
    kernels::register(builder);
}
