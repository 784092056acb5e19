//! What can go wrong when a plan is made or run.

use thiserror::Error;

use crate::kernel::KernelError;
use crate::memory::OutOfMemory;

/// A plan could not be made.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No device of this name is registered.
    #[error("no device is named `{name}`; there are: {known}")]
    NoDevice {
        /// The name.
        name: String,
        /// The devices there are.
        known: String,
    },
    /// Ops without a kernel, under a policy that has no way out.
    #[error("device `{device}` cannot compute {}", list(ops))]
    NoKernel {
        /// The device.
        device: String,
        /// Each op that is in the way.
        ops: Vec<MissingKernel>,
    },
    /// An op would have to run before itself: it needs a version of a state that is overwritten before.
    #[error("{op} has no place in an order: what it reads is overwritten before, or depends on it")]
    Order {
        /// The op.
        op: &'static str,
    },
    /// An op's types do not hold together.
    #[error("{op}: {why}")]
    Invalid {
        /// The op, or `input`.
        op: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A value's size does not fit in memory.
    #[error("{op}: a value of type {value} is larger than memory")]
    TooLarge {
        /// The op that makes it.
        op: &'static str,
        /// Its type.
        value: String,
    },
    /// A decomposition failed.
    #[error("decomposing {op}: {error}")]
    Decompose {
        /// The op.
        op: &'static str,
        /// What went wrong.
        error: String,
    },
    /// A device refused memory or a copy.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Memory could not be reserved.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// An op that a device has no kernel for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingKernel {
    /// The op.
    pub op: &'static str,
    /// The types of its inputs.
    pub inputs: String,
    /// How often the graph has it.
    pub count: usize,
    /// Why each kernel there is refuses: (kernel, reason). Empty if there is none.
    pub reasons: Vec<(String, String)>,
}

fn list(ops: &[MissingKernel]) -> String {
    let one = |m: &MissingKernel| {
        let why = match m.reasons.as_slice() {
            [] => "no kernel".to_owned(),
            reasons => reasons.iter().map(|(k, r)| format!("{k}: {r}")).collect::<Vec<_>>().join("; "),
        };
        format!("{} x{} of ({}): {why}", m.op, m.count, m.inputs)
    };
    ops.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A device failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("device `{device}`: {message}")]
pub struct DeviceError {
    /// The device.
    pub device: &'static str,
    /// What went wrong.
    pub message: String,
}

/// A pass failed. The plan and its device can be used again.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The pass does not fit the plan.
    #[error("{what}: expected {expected}, found {found}")]
    Pass {
        /// Which part of it.
        what: &'static str,
        /// What the plan takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A sequence with recurrent state was to forget its last positions.
    #[error("recurrent state of {from} positions cannot be cut back to {to}: restore a snapshot, or clear it")]
    CannotCut {
        /// The positions that it holds.
        from: usize,
        /// The positions that were to be left.
        to: usize,
    },
    /// A kernel could not compute its tile.
    #[error("{op} ({kernel}): {error}")]
    Kernel {
        /// The op.
        op: &'static str,
        /// The kernel.
        kernel: String,
        /// What went wrong.
        error: KernelError,
    },
    /// A kernel panicked.
    #[error("{op} ({kernel}) panicked: {message}")]
    Panic {
        /// The op.
        op: &'static str,
        /// The kernel.
        kernel: String,
        /// The panic's message.
        message: String,
    },
    /// Another worker failed; its error is the pass's.
    #[error("another worker failed")]
    Poisoned,
    /// The device was entered from inside one of its own passes.
    #[error("the device is already running a pass on this thread")]
    Busy,
    /// A device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
