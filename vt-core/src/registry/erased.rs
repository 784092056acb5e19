//! Kernels without the type of their op, and bound to one op.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::kernel::{Call, Cut, Io, Kernel, KernelError, Need, Support};
use crate::op::{AnyOp, Op};

/// A kernel bound to an op with its attributes: what a step of a plan calls.
pub(crate) trait Bound: Send + Sync {
    fn kernel(&self) -> &str;
    fn need(&self, i: usize) -> Need;
    fn run(&self, io: &mut Io<'_>) -> Result<(), KernelError>;
}

struct BoundKernel<O, K> {
    op: O,
    kernel: Arc<K>,
    name: Arc<str>,
}

impl<O: Op, K: Kernel<O>> Bound for BoundKernel<O, K> {
    fn kernel(&self) -> &str {
        &self.name
    }

    fn need(&self, i: usize) -> Need {
        self.kernel.need(&self.op, i)
    }

    fn run(&self, io: &mut Io<'_>) -> Result<(), KernelError> {
        self.kernel.run(&self.op, io)
    }
}

/// A kernel whose op is known by its [`TypeId`] only. Calls with another op answer as if there were no kernel.
pub(crate) trait AnyKernel: Send + Sync {
    fn name(&self) -> &str;
    fn priority(&self) -> i32;
    fn supports(&self, op: &dyn AnyOp, call: &Call<'_>) -> Support;
    fn cut(&self, op: &dyn AnyOp, call: &Call<'_>) -> Cut;
    fn need(&self, op: &dyn AnyOp, i: usize) -> Need;
    fn in_place(&self) -> bool;
    fn scratch(&self, op: &dyn AnyOp, call: &Call<'_>) -> usize;
    fn bind(&self, op: &dyn AnyOp) -> Option<Box<dyn Bound>>;
}

pub(crate) struct Erased<O, K> {
    kernel: Arc<K>,
    name: Arc<str>,
    op: PhantomData<fn() -> O>,
}

impl<O: Op, K: Kernel<O>> Erased<O, K> {
    pub(crate) fn new(kernel: K) -> Self {
        let name = kernel.name().into();
        Self { kernel: Arc::new(kernel), name, op: PhantomData }
    }

    fn with<R>(op: &dyn AnyOp, otherwise: R, f: impl FnOnce(&O) -> R) -> R {
        op.as_any().downcast_ref::<O>().map_or(otherwise, f)
    }
}

impl<O: Op, K: Kernel<O>> AnyKernel for Erased<O, K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.kernel.priority()
    }

    fn supports(&self, op: &dyn AnyOp, call: &Call<'_>) -> Support {
        let other = Support::No(format!("a kernel of {}", O::NAME));
        Self::with(op, other, |op| self.kernel.supports(op, call))
    }

    fn cut(&self, op: &dyn AnyOp, call: &Call<'_>) -> Cut {
        Self::with(op, Cut::whole(), |op| self.kernel.cut(op, call))
    }

    fn need(&self, op: &dyn AnyOp, i: usize) -> Need {
        Self::with(op, Need::All, |op| self.kernel.need(op, i))
    }

    fn in_place(&self) -> bool {
        self.kernel.in_place()
    }

    fn scratch(&self, op: &dyn AnyOp, call: &Call<'_>) -> usize {
        Self::with(op, 0, |op| self.kernel.scratch(op, call))
    }

    fn bind(&self, op: &dyn AnyOp) -> Option<Box<dyn Bound>> {
        let op = op.as_any().downcast_ref::<O>()?.clone();
        Some(Box::new(BoundKernel { op, kernel: Arc::clone(&self.kernel), name: Arc::clone(&self.name) }))
    }
}

impl fmt::Debug for dyn AnyKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.priority())
    }
}

/// The identity of an op's type in memory.
pub(crate) fn type_of(op: &dyn AnyOp) -> TypeId {
    op.as_any().type_id()
}
