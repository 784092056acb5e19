//! Generation: a prompt's continuation, token by token.

mod stop;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use thiserror::Error;
use vt_core::plan::Sequence;

use crate::sample::{SampleError, Sampler};
use crate::tokenizer::{TextStream, Tokenizer};
use crate::{Batch, ModelError, Runner, Wanted};
use stop::StopFilter;

/// What is to be generated.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The tokens to continue: at least one, from the end of the sequence on.
    pub prompt: &'a [u32],
    /// The most tokens to generate; without it the end of generation and the context are the limits.
    pub max_tokens: Option<usize>,
    /// Texts that end it. They are not part of the text; empty ones do nothing.
    pub stop: &'a [String],
    /// Whether special tokens are part of the text.
    pub special: bool,
}

/// Why generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// An end-of-generation token, or a text of [`Request::stop`].
    Stop,
    /// The most tokens were generated, or the context is full.
    Length,
    /// The receiver of the text wanted no more.
    Cancelled,
}

/// What was generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// The tokens, including the one that ended it.
    pub tokens: Vec<u32>,
    /// Why it ended.
    pub finish: FinishReason,
    /// The time that the prompt took.
    pub prompt_time: Duration,
    /// The time that the other passes took, with choosing tokens and making text.
    pub generation_time: Duration,
    /// The passes after the prompt's: one a token, but none for the first.
    pub passes: usize,
}

/// Generation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A pass failed, or the prompt is longer than the context.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No token could be chosen.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// There is nothing to continue.
    #[error("the prompt has no tokens")]
    EmptyPrompt,
}

/// Feeds a prompt to a sequence and continues it with the tokens that `sampler` chooses; it learns of the prompt's and
/// of its own. `text` receives the text as it comes, never half a character, and nothing that may still become one of
/// [`Request::stop`].
///
/// The sequence's capacity holds prompt and continuation. The last token is chosen but not fed: its place stays free.
///
/// # Errors
/// If the prompt is empty or too long, a pass fails, or no token can be chosen.
pub fn generate(
    runner: &mut Runner,
    tokenizer: &Tokenizer,
    sequence: &mut Sequence,
    sampler: &mut Sampler,
    request: &Request<'_>,
    text: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<Generation, GenerateError> {
    let start = Instant::now();
    let mut next = first(runner, sequence, request.prompt, sampler)?;
    let prompt_time = start.elapsed();
    let start = Instant::now();
    let room = sequence.capacity() - sequence.len();
    let mut output = Output::new(tokenizer, request, room, text);
    let mut batch = Batch::with_capacity(1);
    let mut passes = 0;
    let mut finish = output.is_full().then_some(FinishReason::Length);
    while finish.is_none() {
        sampler.accept(next);
        finish = output.push(next);
        if finish.is_none() {
            batch.clear();
            batch.add(0, sequence.len(), &[next], Wanted::Last);
            next = sampler.sample(runner.forward(&batch, &mut [&mut *sequence])?.row(0))?;
            passes += 1;
        }
    }
    let finish = output.end(finish.unwrap_or(FinishReason::Length));
    Ok(Generation { tokens: output.tokens, finish, prompt_time, generation_time: start.elapsed(), passes })
}

/// Feeds the prompt and chooses the token after it.
fn first(
    runner: &mut Runner,
    sequence: &mut Sequence,
    prompt: &[u32],
    sampler: &mut Sampler,
) -> Result<u32, GenerateError> {
    prompt.iter().for_each(|token| sampler.accept(*token));
    let mut chosen = Err(GenerateError::EmptyPrompt);
    runner.feed(sequence, prompt, Wanted::Last, usize::MAX, |_, logits| {
        if logits.rows() > 0 {
            chosen = sampler.sample(logits.row(0)).map_err(GenerateError::Sample);
        }
    })?;
    chosen
}

/// The tokens so far, on their way to text.
struct Output<'a, F> {
    tokenizer: &'a Tokenizer,
    max_tokens: usize,
    tokens: Vec<u32>,
    stream: TextStream,
    filter: StopFilter<'a>,
    text: F,
}

impl<'a, F: FnMut(&str) -> ControlFlow<()>> Output<'a, F> {
    /// For as many tokens as are requested, but no more than there is `room` for.
    fn new(tokenizer: &'a Tokenizer, request: &Request<'a>, room: usize, text: F) -> Self {
        Self {
            tokenizer,
            max_tokens: request.max_tokens.map_or(room, |most| most.min(room)),
            tokens: Vec::new(),
            stream: TextStream::new(request.special),
            filter: StopFilter::new(request.stop),
            text,
        }
    }

    /// Adds a token; whether it ends generation.
    fn push(&mut self, token: u32) -> Option<FinishReason> {
        self.tokens.push(token);
        if self.tokenizer.is_end_of_generation(token) {
            return Some(FinishReason::Stop);
        }
        let stopped = self.filter.push(self.stream.push(self.tokenizer, token));
        if show(&mut self.text, self.filter.ready()).is_break() {
            return Some(FinishReason::Cancelled);
        }
        stopped.then_some(FinishReason::Stop).or(self.is_full().then_some(FinishReason::Length))
    }

    fn is_full(&self) -> bool {
        self.tokens.len() >= self.max_tokens
    }

    /// Hands on what was held back; why generation ended after all.
    fn end(&mut self, finish: FinishReason) -> FinishReason {
        let finish = if self.filter.push(self.stream.flush()) { FinishReason::Stop } else { finish };
        // It is over whether the receiver wants more or not.
        let _ = show(&mut self.text, self.filter.ready());
        let _ = show(&mut self.text, self.filter.rest());
        finish
    }
}

fn show(text: &mut impl FnMut(&str) -> ControlFlow<()>, ready: &str) -> ControlFlow<()> {
    if ready.is_empty() { ControlFlow::Continue(()) } else { text(ready) }
}
