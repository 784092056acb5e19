//! What an op is, with its type and without.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use super::case::{AnyCase, Case};
use super::{Attrs, Cost, Inputs, Outs, ValueType, Workload};
use crate::OpError;

/// How far a kernel's result may be from the exact one.
///
/// This is the measure against goldens computed in f64. Among themselves, kernels of the CPU give equal bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// The same bits.
    Exact,
    /// Each element within `absolute + relative * |expected|`.
    Close {
        /// The part that does not grow.
        absolute: f64,
        /// The part that grows with the element.
        relative: f64,
    },
    /// The squared error over the squared norm of what is expected.
    Nmse(f64),
}

/// An operation: a struct whose fields are its attributes.
///
/// An op knows shapes and types, not how it is computed: that is what kernels are for.
pub trait Op: fmt::Debug + Clone + PartialEq + Send + Sync + 'static {
    /// Its name: its identity in files and messages.
    const NAME: &'static str;
    /// The names of its inputs.
    const INPUTS: &'static [&'static str];
    /// How many of them, the last ones, a call may leave out.
    const OPTIONAL: usize = 0;
    /// How far kernels may be from the exact result.
    const TOLERANCE: Tolerance;

    /// The types of the outputs. The only place where shapes, types and attributes are checked.
    ///
    /// # Errors
    /// If the op does not take these inputs.
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError>;

    /// The attributes, in the order of the fields.
    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    /// Pairs (input, output) that may lie in the same memory: each element of the output depends on no other element of
    /// that input.
    fn in_place(&self) -> &'static [(usize, usize)] {
        &[]
    }

    /// Pairs (input, output) of state: the output is the next version of the input.
    fn advances(&self) -> &'static [(usize, usize)] {
        &[]
    }

    /// The work of a call. An op that reads only a part of an operand, uses state, or sums products says so itself.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        work.operands()
    }

    /// Examples that between them show every way to use the op; at least a dozen.
    fn cases() -> Vec<Case<Self>>;

    /// What micro-benchmarks measure: calls of the size that models have.
    fn benches() -> Vec<Case<Self>> {
        Self::cases()
    }
}

/// An op whose type is not known where it is used.
pub trait AnyOp: fmt::Debug + Send + Sync + 'static {
    /// [`Op::NAME`].
    fn name(&self) -> &'static str;
    /// [`Op::INPUTS`].
    fn input_names(&self) -> &'static [&'static str];
    /// [`Op::TOLERANCE`].
    fn tolerance(&self) -> Tolerance;
    /// [`Op::infer`].
    ///
    /// # Errors
    /// If the op does not take these inputs.
    fn infer(&self, types: &[&ValueType]) -> Result<Outs, OpError>;
    /// [`Op::attrs`].
    fn attrs(&self) -> Attrs;
    /// [`Op::in_place`].
    fn in_place(&self) -> &'static [(usize, usize)];
    /// [`Op::advances`].
    fn advances(&self) -> &'static [(usize, usize)];
    /// [`Op::cost`].
    fn cost(&self, work: &Workload<'_>) -> Cost;
    /// Whether `other` is the same op with the same attributes.
    fn same(&self, other: &dyn AnyOp) -> bool;
    /// Itself, to be downcast.
    fn as_any(&self) -> &dyn Any;
}

impl<O: Op> AnyOp for O {
    fn name(&self) -> &'static str {
        O::NAME
    }

    fn input_names(&self) -> &'static [&'static str] {
        O::INPUTS
    }

    fn tolerance(&self) -> Tolerance {
        O::TOLERANCE
    }

    fn infer(&self, types: &[&ValueType]) -> Result<Outs, OpError> {
        Op::infer(self, &Inputs::new(O::NAME, O::INPUTS, O::OPTIONAL, types)?)
    }

    fn attrs(&self) -> Attrs {
        Op::attrs(self)
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        Op::in_place(self)
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        Op::advances(self)
    }

    fn cost(&self, work: &Workload<'_>) -> Cost {
        Op::cost(self, work)
    }

    fn same(&self, other: &dyn AnyOp) -> bool {
        other.as_any().downcast_ref::<O>().is_some_and(|o| o == self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An op that the registry knows, with its cases.
#[derive(Clone, Copy)]
pub struct OpEntry {
    /// [`Op::NAME`].
    pub name: &'static str,
    /// [`Op::INPUTS`].
    pub inputs: &'static [&'static str],
    /// [`Op::OPTIONAL`].
    pub optional: usize,
    /// [`Op::cases`].
    pub cases: fn() -> Vec<AnyCase>,
    /// [`Op::benches`].
    pub benches: fn() -> Vec<AnyCase>,
    /// Its type, by which two ops of one name are told apart.
    pub(crate) id: TypeId,
}

impl OpEntry {
    /// The entry of an op.
    pub fn of<O: Op>() -> Self {
        Self {
            id: TypeId::of::<O>(),
            name: O::NAME,
            inputs: O::INPUTS,
            optional: O::OPTIONAL,
            cases: || O::cases().into_iter().map(Case::erase).collect(),
            benches: || O::benches().into_iter().map(Case::erase).collect(),
        }
    }
}

impl fmt::Debug for OpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An op behind a shared pointer.
pub type ArcOp = Arc<dyn AnyOp>;
