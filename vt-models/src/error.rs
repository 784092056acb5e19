//! What can go wrong when a model is loaded or run.

use thiserror::Error;
use vt_core::plan::{PlanError, RunError};
use vt_core::{OpError, TensorError};
use vt_gguf::GgufError;

use crate::load::Problem;

/// A model could not be loaded or run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file is bad, or lacks something.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// vt does not have the architecture.
    #[error("vt does not have the architecture `{found}`; it has: {known}")]
    Architecture {
        /// The file's architecture.
        found: String,
        /// Those that vt has.
        known: String,
    },
    /// Tensors or keys stand in the way; all are listed.
    #[error("the model cannot be computed: {}", list(problems))]
    Refused {
        /// Each tensor and key, with what is wrong.
        problems: Vec<Problem>,
    },
    /// The graph could not be recorded.
    #[error(transparent)]
    Op(#[from] OpError),
    /// The graph could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A pass failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A tensor could not be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A token's id is not in the vocabulary.
    #[error("token {id} is not in the vocabulary of {vocab}")]
    Token {
        /// The token.
        id: u32,
        /// How many there are.
        vocab: usize,
    },
    /// A sequence has no room for more positions.
    #[error("the context of {capacity} positions is full")]
    ContextFull {
        /// The positions there is room for.
        capacity: usize,
    },
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
