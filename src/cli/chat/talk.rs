//! A conversation on the command line.

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use vt::chat::{Answer, ChatError, DateTime, Message, Progress, Session};
use vt_models::generate::FinishReason;

use super::Stop;
use super::command::{Command, HELP};
use super::input::Input;
use crate::cli::interrupt::Interrupt;
use crate::cli::run::speed;
use crate::cli::{message, text};

/// The local time.
pub(super) fn now() -> DateTime {
    jiff::ZonedDateTime::now().datetime()
}

pub(super) struct Talk<'a> {
    pub session: Session<'a>,
    pub interrupt: Interrupt,
    /// Whether what goes wrong ends the conversation: it does in scripts.
    pub strict: bool,
    /// Refuses files that must not be written.
    pub refuse: &'a dyn Fn(&Path) -> Result<(), Stop>,
    pub last: Option<Answer>,
}

impl Talk<'_> {
    /// Answers until the input ends, or a command ends the conversation.
    pub fn run(&mut self, input: &mut Input) -> Result<(), Stop> {
        if input.is_terminal() {
            tell("/help lists commands, Ctrl-D leaves");
        }
        while let Some(line) = input.next()? {
            match self.turn(&line) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(Stop::Failed(why) | Stop::Usage(why)) if !self.strict => message::say("error", &why),
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// A command or a question; whether the conversation goes on.
    fn turn(&mut self, line: &str) -> Result<ControlFlow<()>, Stop> {
        match Command::parse(line) {
            Some(command) => return self.command(command.map_err(Stop::Failed)?),
            None if line.trim().is_empty() => {}
            None => self.answer(|session, progress| session.ask(line, now(), progress))?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn command(&mut self, command: Command) -> Result<ControlFlow<()>, Stop> {
        match command {
            Command::Help => tell(HELP),
            Command::Clear => self.session.clear(),
            Command::System(text) => self.session.set_system(text.as_deref()),
            Command::Undo => {
                let question = self.session.undo().ok_or(ChatError::NoQuestion)?;
                tell(&format!("taken back: {question}"));
            }
            Command::Retry => self.answer(|session, progress| session.retry(now(), progress))?,
            Command::Save(path) => self.save(&path)?,
            Command::Load(path) => self.load(&path)?,
            Command::Stats => self.stats(),
            Command::Exit => return Ok(ControlFlow::Break(())),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows an answer as it comes.
    fn answer(
        &mut self,
        ask: impl FnOnce(&mut Session<'_>, &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>) -> Result<Answer, ChatError>,
    ) -> Result<(), Stop> {
        let mut failed = None;
        let (session, interrupt) = (&mut self.session, &self.interrupt);
        let answer = interrupt.stops(|| {
            ask(session, &mut |progress| {
                if let Progress::Text(piece) = progress {
                    failed = text::show(piece.as_bytes()).err();
                }
                let stop = failed.is_some() || interrupt.is_stopping();
                if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let answer = answer.map_err(with_advice)?;
        text::show(b"\n")?;
        self.explain(&answer);
        self.last = Some(answer);
        Ok(())
    }

    /// Says why an answer ended, unless the model ended it.
    fn explain(&self, answer: &Answer) {
        match answer.finish {
            FinishReason::Stop => {}
            FinishReason::Cancelled => tell("[stopped]"),
            FinishReason::Length if answer.context_full => {
                let (_, capacity) = self.session.context();
                tell(&format!("[the context of {capacity} tokens is full; {ADVICE}]"));
            }
            FinishReason::Length => tell(&format!("[cut off after {} tokens]", answer.generated)),
        }
    }

    fn save(&self, path: &Path) -> Result<(), Stop> {
        (self.refuse)(path)?;
        let messages: Vec<String> = self.session.messages().iter().map(Message::to_string).collect();
        fs::write(path, format!("[\n{}\n]\n", messages.join(",\n"))).map_err(|error| in_file(path, &error))
    }

    fn load(&mut self, path: &Path) -> Result<(), Stop> {
        let text = text::read_utf8(path)?;
        self.session.set_messages(Message::list(&text).map_err(|error| in_file(path, &error))?);
        tell(&format!("{} messages", self.session.messages().len()));
        Ok(())
    }

    fn stats(&self) {
        if let Some(last) = &self.last {
            tell(&format!(
                "prompt {} tok ({} known before) {} | gen {} tok {}",
                last.read,
                last.reused,
                speed(last.read, last.read_time),
                last.generated,
                speed(last.passes, last.generation_time),
            ));
        }
        let (used, (_, capacity)) = (self.session.tokens(now()), self.session.context());
        tell(&format!("context {used} of {capacity} tokens | {} messages", self.session.messages().len()));
    }
}

/// What helps against a full context.
const ADVICE: &str = "/clear forgets the conversation, /undo the last question, -c sets another size";

fn with_advice(error: ChatError) -> Stop {
    match error {
        ChatError::ContextFull { .. } => Stop::failed(format!("{error}; {ADVICE}")),
        ChatError::NothingWritten => Stop::failed(format!("{error}; --plain talks without it")),
        error => error.into(),
    }
}

fn in_file(path: &Path, error: &dyn std::fmt::Display) -> Stop {
    Stop::failed(format!("{}: {error}", path.display()))
}

/// Says something that is not an answer.
fn tell(what: &str) {
    // There is no one to tell if this fails.
    let _ = writeln!(io::stderr(), "{what}");
}
