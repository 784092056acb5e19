//! Ctrl-C.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::Models;
use crate::model;

/// Bytes after which an answer has begun.
const BEGINNING: usize = 20;

/// A conversation whose answers do not end by themselves.
struct Talk {
    child: Child,
    input: ChildStdin,
    answers: ChildStdout,
    said: BufReader<std::process::ChildStderr>,
}

impl Talk {
    fn new(models: &Models) -> Self {
        let arguments = ["chat", "chat.gguf", "-c", "1000000", "--seed", "1", "--logit-bias", "260:-inf", "-t", "1"];
        let mut command = models.vt(&arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let said = BufReader::new(child.stderr.take().unwrap());
        Self { child, input, answers, said }
    }

    /// Asks, and waits until the answer has begun.
    fn ask(&mut self, question: &str) {
        writeln!(self.input, "{question}").unwrap();
        self.answers.read_exact(&mut [0; BEGINNING]).unwrap();
    }

    fn interrupt(&self) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }

    /// The lengths of the messages so far.
    fn lengths(&mut self, file: &Path) -> Vec<usize> {
        writeln!(self.input, "/save {}\n/stats", file.display()).unwrap();
        assert!(self.line().starts_with("prompt "));
        assert!(self.line().starts_with("context "));
        let saved = vt::chat::Message::list(&std::fs::read_to_string(file).unwrap()).unwrap();
        saved.iter().map(|message| message.content().len()).collect()
    }

    /// The next line on standard error.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line
    }
}

#[test]
fn an_interrupt_stops_the_answer_and_the_next_one_leaves() {
    let models = model::models();
    let mut talk = Talk::new(&models);
    let file = models.path("talk.json");
    talk.ask("hello");
    talk.interrupt();
    assert_eq!(talk.line(), "[stopped]\n");
    // What came of the first answer after its beginning must not be taken for the beginning of the second.
    let rest = talk.lengths(&file)[1] - BEGINNING;
    talk.answers.read_exact(&mut vec![0; rest]).unwrap();
    talk.ask("hello");
    talk.interrupt();
    assert_eq!(talk.line(), "[stopped]\n");
    let lengths = talk.lengths(&file);
    assert!(lengths.len() == 4 && lengths[1] > 0 && lengths[3] > 0, "{lengths:?}");
    talk.interrupt();
    assert_eq!(talk.child.wait().unwrap().code(), Some(0));
    assert_eq!(talk.line(), "");
}

#[test]
fn the_end_of_the_input_leaves() {
    let models = model::models();
    let mut talk = Talk::new(&models);
    talk.ask("hello");
    talk.interrupt();
    drop(talk.input);
    assert_eq!(talk.child.wait().unwrap().code(), Some(0));
}
