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
    /// Tensors or keys stand in the way.
    #[error("the model cannot be computed: {}", listed(problems))]
    Refused {
        /// Each tensor and key, with what is wrong; the message shows the first ones.
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
    #[error("{needed} tokens do not fit in a context of {capacity}")]
    ContextFull {
        /// The tokens of the sequence, with those that it was to take.
        needed: usize,
        /// The positions there is room for.
        capacity: usize,
    },
}

/// The problems as one line that can still be read.
fn listed(problems: &[Problem]) -> String {
    const LISTED: usize = 32;
    let (head, rest) = problems.split_at(problems.len().min(LISTED));
    let head = head.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if rest.is_empty() { head } else { format!("{head}; and {} more", rest.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_shows_what_can_be_read() {
        let message = |count: usize| {
            let problems = (0..count).map(|i| Problem::Fault(format!("problem {i}"))).collect();
            ModelError::Refused { problems }.to_string()
        };
        assert_eq!(message(2), "the model cannot be computed: problem 0; problem 1");
        assert!(message(32).ends_with("; problem 31"));
        assert!(message(33).ends_with("; problem 31; and 1 more"));
    }
}
