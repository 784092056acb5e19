//! A conversation with a model.

use std::mem;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use vt_core::plan::{Sequence, Snapshot};
use vt_models::generate::{FinishReason, Request, generate};
use vt_models::sample::{Sampler, SamplerConfig};
use vt_models::tokenizer::Tokenizer;
use vt_models::{Runner, Wanted};

use super::{Answer, ChatError, Conversation, DateTime, Message, Progress, PromptEncoder, Settings, Template};

/// The tokens of a prompt that are fed at a time, so that it can be stopped in between.
const CHUNK: usize = 128;

/// A conversation with a model. Each turn only what is new is computed: the sequence keeps what it has in common with
/// the conversation, and forgets the rest.
#[derive(Debug)]
pub struct Session<'a> {
    template: Template,
    tokenizer: &'a Tokenizer,
    encoder: PromptEncoder<'a>,
    runner: Runner,
    sequence: Sequence,
    /// The tokens that the sequence holds.
    held: Vec<u32>,
    /// Where a sequence that cannot be cut goes back to.
    resort: Option<Resort>,
    messages: Vec<Message>,
    settings: Settings,
    answers: u64,
}

/// A sequence as it was before the end of a prompt, and the tokens that it held.
#[derive(Debug)]
struct Resort {
    state: Snapshot,
    tokens: Vec<u32>,
}

impl<'a> Session<'a> {
    /// An empty conversation of at most `context` tokens.
    ///
    /// # Errors
    /// If the memory for the context cannot be reserved.
    pub fn new(
        runner: Runner,
        tokenizer: &'a Tokenizer,
        template: Template,
        context: usize,
        settings: Settings,
    ) -> Result<Self, ChatError> {
        let no_room = |source| ChatError::Memory { context, source };
        let sequence = runner.model().sequence(context).map_err(no_room)?;
        let encoder = PromptEncoder::new(tokenizer);
        let (held, messages) = (Vec::new(), Vec::new());
        let resort = None;
        Ok(Self { template, tokenizer, encoder, runner, sequence, held, resort, messages, settings, answers: 0 })
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Puts other messages in their place.
    pub fn set_messages(&mut self, messages: Vec<Message>) {
        self.messages = messages;
    }

    /// The system message's text, if the conversation starts with one.
    pub fn system(&self) -> Option<&str> {
        self.messages.first().filter(|message| message.role() == "system").map(Message::content)
    }

    /// Puts another system message at the start, or none.
    pub fn set_system(&mut self, text: Option<&str>) {
        let others = usize::from(self.system().is_some());
        self.messages.splice(..others, text.map(|text| Message::new("system", text)));
    }

    /// Forgets everything but the system message.
    pub fn clear(&mut self) {
        self.messages.truncate(usize::from(self.system().is_some()));
    }

    /// Takes the last question back, with what follows it, and returns it.
    pub fn undo(&mut self) -> Option<String> {
        let last = self.messages.iter().rposition(|message| message.role() == "user")?;
        self.messages.drain(last..).next().map(|question| question.content().to_owned())
    }

    /// The tokens that the context holds, and how many fit. They are kept while they may be part of the next prompt, also
    /// when their messages are not part of the conversation any more.
    pub fn context(&self) -> (usize, usize) {
        (self.sequence.len(), self.sequence.capacity())
    }

    /// The tokens that the conversation takes. What the template does not write as it stands, such as a system message
    /// alone, takes none yet.
    pub fn tokens(&self, now: DateTime) -> usize {
        if self.messages.is_empty() {
            return 0;
        }
        let conversation = Conversation { messages: &self.messages, add_generation_prompt: false, now, variables: &[] };
        self.encoder.encode(&self.template, &conversation).map_or(0, |tokens| tokens.len())
    }

    /// Asks a question; `progress` hears of the answer as it comes and may end it. What was said until then stays part
    /// of the conversation.
    ///
    /// # Errors
    /// If the conversation cannot be written or does not fit, or a pass fails. The conversation is then as it was.
    pub fn ask(
        &mut self,
        question: &str,
        now: DateTime,
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, ChatError> {
        self.messages.push(Message::new("user", question));
        let answer = self.answer(now, progress);
        match &answer {
            Ok(answer) => self.messages.push(Message::new("assistant", &answer.text)),
            Err(_) => drop(self.messages.pop()),
        }
        answer
    }

    /// Asks the last question again, in place of the answer that it got.
    ///
    /// # Errors
    /// As [`Session::ask`], or if there is no question.
    pub fn retry(
        &mut self,
        now: DateTime,
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, ChatError> {
        let before = self.messages.clone();
        let question = self.undo().ok_or(ChatError::NoQuestion)?;
        let answer = self.ask(&question, now, progress);
        if answer.is_err() {
            self.messages = before;
        }
        answer
    }

    /// The model's answer to the messages.
    fn answer(
        &mut self,
        now: DateTime,
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, ChatError> {
        let conversation = Conversation { messages: &self.messages, add_generation_prompt: true, now, variables: &[] };
        let prompt = self.encoder.encode(&self.template, &conversation)?;
        if prompt.is_empty() {
            return Err(ChatError::NothingWritten);
        }
        let (needed, capacity) = (prompt.len().saturating_add(1), self.sequence.capacity());
        if needed > capacity {
            return Err(ChatError::ContextFull { needed, capacity });
        }
        let reused = self.keep(&prompt);
        let answer = self.read_and_generate(&prompt, reused, progress);
        if answer.is_err() {
            self.sequence.clear();
        }
        self.held.truncate(self.sequence.len());
        answer
    }

    /// Cuts the sequence back to what it has in common with the prompt, but for the last token, and tells how much that
    /// is. Recurrent state cannot be cut: it goes back to where it was kept, or is computed anew.
    fn keep(&mut self, prompt: &[u32]) -> usize {
        let kept = common(&self.held, prompt).min(prompt.len().saturating_sub(1));
        if self.sequence.cut(kept).is_err() && !self.go_back(prompt) {
            self.sequence.clear();
        }
        self.held.truncate(self.sequence.len());
        self.sequence.len()
    }

    /// Whether the sequence is where it was kept, because the prompt starts as that did.
    fn go_back(&mut self, prompt: &[u32]) -> bool {
        let starts = |resort: &&Resort| resort.tokens.len() < prompt.len() && prompt.starts_with(&resort.tokens);
        let Some(Resort { state, tokens }) = self.resort.as_ref().filter(starts) else { return false };
        self.held.clone_from(tokens);
        self.sequence.restore(state).is_ok()
    }

    fn read_and_generate(
        &mut self,
        prompt: &[u32],
        reused: usize,
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, ChatError> {
        let start = Instant::now();
        let stopped = self.read(prompt, progress)?.is_break();
        let mut answer = Answer {
            text: String::new(),
            finish: FinishReason::Cancelled,
            context_full: false,
            reused,
            read: self.sequence.len() - reused,
            generated: 0,
            read_time: start.elapsed(),
            generation_time: Duration::ZERO,
            passes: 0,
        };
        if !stopped {
            self.generate(prompt, &mut answer, progress)?;
        }
        Ok(answer)
    }

    /// Feeds the prompt but for its end.
    fn read(
        &mut self,
        prompt: &[u32],
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ChatError> {
        let reused = self.sequence.len();
        let total = prompt.len() - reused;
        while prompt.len() - self.sequence.len() > CHUNK {
            let done = self.sequence.len();
            if progress(Progress::Reading { done: done - reused, total }).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let part = &prompt[done..done + CHUNK];
            self.held.extend_from_slice(part);
            self.runner.feed(&mut self.sequence, part, Wanted::None, CHUNK, |_, _| ())?;
        }
        if self.sequence.len() > reused && !self.sequence.can_be_cut() {
            self.resort = Some(Resort { state: self.sequence.snapshot(), tokens: self.held.clone() });
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Feeds the prompt's end and lets the model go on.
    fn generate(
        &mut self,
        prompt: &[u32],
        answer: &mut Answer,
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<(), ChatError> {
        let (read, end) = prompt.split_at(self.sequence.len());
        let seed = self.settings.sampling.seed.wrapping_add(self.answers);
        let config = SamplerConfig { seed, ..self.settings.sampling.clone() };
        let mut sampler = Sampler::new(&config, self.runner.model().hparams().vocab)?;
        read.iter().for_each(|token| sampler.accept(*token));
        self.held.extend_from_slice(end);
        let Settings { max_tokens, stop, .. } = &self.settings;
        let request = Request { prompt: end, max_tokens: *max_tokens, stop, special: false };
        let mut text = mem::take(&mut answer.text);
        let (runner, sequence) = (&mut self.runner, &mut self.sequence);
        let made = generate(runner, self.tokenizer, sequence, &mut sampler, &request, |piece| {
            text.push_str(piece);
            progress(Progress::Text(piece))
        })?;
        self.answers = self.answers.wrapping_add(1);
        self.held.extend_from_slice(&made.tokens);
        answer.text = text;
        answer.finish = made.finish;
        answer.context_full = made.finish == FinishReason::Length && *max_tokens != Some(made.tokens.len());
        answer.read += end.len();
        answer.generated = made.tokens.len();
        answer.read_time += made.prompt_time;
        answer.generation_time = made.generation_time;
        answer.passes = made.passes;
        Ok(())
    }
}

/// How many tokens two texts start with in common.
fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
