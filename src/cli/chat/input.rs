//! Where questions come from: a terminal with a line editor, or lines.

use std::io::{self, BufRead, IsTerminal, StdinLock};

use rustyline::error::ReadlineError;
use rustyline::{Behavior, DefaultEditor};

use super::Stop;
use crate::cli::{message, text};

/// The sign in front of a question, and of its further lines.
const SIGNS: [&str; 2] = ["> ", ". "];

pub(super) enum Input {
    Terminal(Box<DefaultEditor>),
    Lines(StdinLock<'static>),
}

impl Input {
    /// Standard input. On a terminal the editor talks to the terminal itself, so standard output stays clean.
    pub fn new() -> Result<Self, Stop> {
        if !io::stdin().is_terminal() {
            return Ok(Self::Lines(io::stdin().lock()));
        }
        let config = rustyline::Config::builder().behavior(Behavior::PreferTerm).build();
        Ok(Self::Terminal(Box::new(DefaultEditor::with_config(config)?)))
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// The next question; `None` at the end. A line that ends in `\` goes on in the next one. On a terminal a question
    /// that is broken off in the middle is dropped.
    pub fn next(&mut self) -> Result<Option<String>, Stop> {
        loop {
            let mut text = String::new();
            if self.question(&mut text)? {
                self.remember(&text)?;
                return Ok(Some(text));
            }
            if text.is_empty() || !self.is_terminal() {
                return Ok((!text.is_empty()).then_some(text));
            }
        }
    }

    /// Reads the lines of a question; whether its last one came.
    fn question(&mut self, text: &mut String) -> Result<bool, Stop> {
        let mut sign = SIGNS[0];
        while let Some(line) = self.line(sign)? {
            let Some(more) = line.strip_suffix('\\') else {
                text.push_str(&line);
                return Ok(true);
            };
            text.push_str(more);
            text.push('\n');
            sign = SIGNS[1];
        }
        Ok(false)
    }

    /// The next line without its end; `None` at the end of the input, or at a terminal's Ctrl-C and Ctrl-D.
    fn line(&mut self, sign: &str) -> Result<Option<String>, Stop> {
        match self {
            Self::Terminal(editor) => edited(editor, sign),
            Self::Lines(lines) => {
                let mut line = String::new();
                let read = text::bounded(lines, |lines| lines.read_line(&mut line));
                let read = read.map_err(|error| Stop::failed(format!("standard input: {error}")))?;
                let end = line.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
                Ok((read > 0).then(|| end.unwrap_or(&line).to_owned()))
            }
        }
    }

    fn remember(&mut self, text: &str) -> Result<(), Stop> {
        if let Self::Terminal(editor) = self {
            editor.add_history_entry(text)?;
        }
        Ok(())
    }
}

/// A line from the editor. What is not UTF-8 costs the line, but not the conversation.
fn edited(editor: &mut DefaultEditor, sign: &str) -> Result<Option<String>, Stop> {
    loop {
        match editor.readline(sign) {
            Ok(line) => return Ok(Some(line)),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(None),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                message::say("error", "expected UTF-8, found other bytes: this line is dropped");
            }
            Err(error) => return Err(error.into()),
        }
    }
}
