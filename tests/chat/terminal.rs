//! `vt chat` on a terminal.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use nix::pty::openpty;
use vt::chat::Message;

use crate::common::Models;
use crate::model;

/// What the editor writes whenever it begins to read a line: bracketed paste is turned on.
const READY: &[u8] = b"\x1b[?2004h";

/// A conversation on a terminal of its own.
struct Talk {
    models: Models,
    child: Child,
    keys: File,
    /// What the terminal shows, as it comes.
    shown: Receiver<u8>,
}

impl Talk {
    /// A conversation that waits for its first line.
    fn new() -> Self {
        let models = model::models();
        let terminal = openpty(None, None).unwrap();
        let vt = models.vt(&["chat", "chat.gguf", "--seed", "1", "-n", "3", "-c", "1000", "-t", "1"]);
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(vt.get_program()).args(vt.get_args()).env("TERM", "xterm");
        command.stdin(terminal.slave).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let keys = File::from(terminal.master);
        let (sender, shown) = mpsc::channel();
        let screen = BufReader::new(keys.try_clone().unwrap());
        // At the end of the terminal reading fails.
        thread::spawn(move || screen.bytes().map_while(Result::ok).try_for_each(|byte| sender.send(byte)));
        let talk = Self { models, child, keys, shown };
        talk.ready(1);
        talk
    }

    /// Waits until so many more lines were asked for.
    fn ready(&self, lines: usize) {
        let mut seen = Vec::new();
        for _ in 0..lines {
            seen.clear();
            while !seen.ends_with(READY) {
                let byte = self.shown.recv_timeout(Duration::from_secs(60));
                seen.push(byte.unwrap_or_else(|_| panic!("no prompt after {:?}", String::from_utf8_lossy(&seen))));
            }
        }
    }

    /// Types, and waits until so many more lines were asked for.
    fn keys(&mut self, keys: &[u8], lines: usize) {
        self.keys.write_all(keys).unwrap();
        self.ready(lines);
    }

    /// Leaves. The questions that were asked, and what was said on standard error.
    fn end(mut self) -> (Vec<String>, String) {
        let file = self.models.path("talk.json");
        self.keys(format!("/save {}\r", file.display()).as_bytes(), 1);
        self.keys.write_all(b"\x04").unwrap();
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let messages = Message::list(&fs::read_to_string(file).unwrap()).unwrap();
        let questions = messages.iter().filter(|message| message.role() == "user");
        (questions.map(|message| message.content().to_owned()).collect(), String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn a_question_that_is_broken_off_is_not_asked() {
    for key in [b"\x03", b"\x04"] {
        let mut talk = Talk::new();
        talk.keys(b"never\\\r", 1);
        talk.keys(key, 1);
        talk.keys(b"first\\\r", 1);
        talk.keys(b"second\r", 1);
        assert_eq!(talk.end().0, ["first\nsecond"]);
    }
}

#[test]
fn lines_that_arrive_together_are_all_read() {
    let mut talk = Talk::new();
    talk.keys(b"one\rtwo\\\rthree\r", 3);
    let (questions, said) = talk.end();
    assert_eq!(questions, ["one", "two\nthree"]);
    assert!(said.starts_with("/help lists commands, Ctrl-D leaves\n"), "{said}");
}

#[test]
fn bytes_that_are_no_text_cost_a_line() {
    let mut talk = Talk::new();
    talk.keys(b"caf\xe9\r", 1);
    talk.keys(b"one\\\r", 1);
    talk.keys(b"\xff", 1);
    talk.keys(b"two\r", 1);
    let (questions, said) = talk.end();
    assert_eq!(questions, ["one\ntwo"]);
    assert_eq!(said.matches("error: expected UTF-8").count(), 2, "{said}");
}
