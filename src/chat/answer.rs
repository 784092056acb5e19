//! Questions and their answers.

use std::time::Duration;

use thiserror::Error;
use vt_core::memory::OutOfMemory;
use vt_models::ModelError;
use vt_models::generate::{FinishReason, GenerateError};
use vt_models::sample::{SampleError, SamplerConfig};

use super::TemplateError;

/// How answers are made.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How tokens are chosen. Each answer has its own random numbers: its seed is this one and the number of answers
    /// before it.
    pub sampling: SamplerConfig,
    /// The most tokens of an answer; without it the model and the context are the limits.
    pub max_tokens: Option<usize>,
    /// Texts that end an answer, besides the tokens that do.
    pub stop: Vec<String>,
}

/// What happens while a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// Tokens of the conversation are read: so many of those that are new.
    Reading {
        /// The tokens read.
        done: usize,
        /// The tokens that are new.
        total: usize,
    },
    /// The next piece of the answer.
    Text(&'a str),
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What was said.
    pub text: String,
    /// Why it ended.
    pub finish: FinishReason,
    /// Whether it ended because the context is full.
    pub context_full: bool,
    /// The conversation's tokens that were known from the turns before.
    pub reused: usize,
    /// The conversation's tokens that were read.
    pub read: usize,
    /// The tokens generated.
    pub generated: usize,
    /// The time that reading took.
    pub read_time: Duration,
    /// The time that the passes after it took.
    pub generation_time: Duration,
    /// The passes after reading.
    pub passes: usize,
}

/// A question got no answer. The conversation is as it was before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The conversation cannot be written.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A pass failed, or no token could be chosen.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The memory for the context cannot be reserved.
    #[error("a context of {context} tokens: {source}")]
    Memory {
        /// The context's tokens.
        context: usize,
        /// How much memory there is not.
        source: OutOfMemory,
    },
    /// The conversation does not fit.
    #[error("the conversation has {needed} tokens and the context holds {capacity}")]
    ContextFull {
        /// The conversation's tokens, with one for the answer.
        needed: usize,
        /// The context's tokens.
        capacity: usize,
    },
    /// The template wrote nothing that the model could answer.
    #[error("the chat template writes nothing for the conversation")]
    NothingWritten,
    /// There is no question that could be asked again.
    #[error("there is no question yet")]
    NoQuestion,
}

impl From<ModelError> for ChatError {
    fn from(error: ModelError) -> Self {
        Self::Generate(error.into())
    }
}

impl From<SampleError> for ChatError {
    fn from(error: SampleError) -> Self {
        Self::Generate(error.into())
    }
}
