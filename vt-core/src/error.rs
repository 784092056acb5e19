//! What can go wrong when an op is recorded.

use std::panic::Location;

use thiserror::Error;

use crate::{PlanError, RunError, TensorError};

/// An op was given operands or attributes that it cannot take.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum OpError {
    /// An input has a type or shape that the op does not take.
    #[error("{op}: input `{input}`: expected {expected}, found {found}")]
    Input {
        /// The op.
        op: &'static str,
        /// The input's name in the op's documentation.
        input: &'static str,
        /// What the op takes.
        expected: String,
        /// What it was given.
        found: String,
    },
    /// The number of inputs is wrong.
    #[error("{op}: expected {expected} inputs ({names}), found {found}")]
    Arity {
        /// The op.
        op: &'static str,
        /// How many it takes.
        expected: usize,
        /// Their names.
        names: String,
        /// How many it was given.
        found: usize,
    },
    /// An attribute has a value that the op does not take.
    #[error("{op}: attribute `{attribute}`: expected {expected}, found {found}")]
    Attribute {
        /// The op.
        op: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// What the op takes.
        expected: String,
        /// What it was given.
        found: String,
    },
    /// No op of this name is registered.
    #[error("no op is named `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A value belongs to another graph.
    #[error("{op}: input `{input}` belongs to another graph")]
    Foreign {
        /// The op.
        op: &'static str,
        /// The input.
        input: &'static str,
    },
    /// What an op says of its operands does not hold together, or a state is advanced twice.
    #[error("{op}: {why}")]
    Invalid {
        /// The op.
        op: &'static str,
        /// What is wrong.
        why: String,
    },
    /// The op cannot be computed outside a graph.
    #[error("{op}: {why}")]
    Eager {
        /// The op.
        op: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// A tensor could not be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// An op computed at once could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An op computed at once failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Where in the model's source the op was called.
    #[error("{error} (at {at})")]
    At {
        /// What went wrong.
        error: Box<OpError>,
        /// The call.
        at: &'static Location<'static>,
    },
}

impl OpError {
    /// The same error with the place of the call, unless it has one.
    pub fn at(self, at: &'static Location<'static>) -> Self {
        match self {
            Self::At { .. } => self,
            error => Self::At { error: Box::new(error), at },
        }
    }
}
