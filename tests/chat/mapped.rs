//! A model's file that becomes shorter while it is mapped.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::model;

#[test]
fn a_file_that_becomes_shorter_is_one_line_and_exit_status_1() {
    let models = model::models();
    for threads in ["1", "4"] {
        model::write(&models, "short.gguf", Some(model::TEMPLATE), false);
        let mut command = models.vt(&["chat", "short.gguf", "-t", threads]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut input, mut said) = (child.stdin.take().unwrap(), BufReader::new(child.stderr.take().unwrap()));
        // It is loaded when it answers.
        writeln!(input, "/stats").unwrap();
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.starts_with("context 0 of "), "{line}");
        OpenOptions::new().write(true).open(models.path("short.gguf")).unwrap().set_len(0).unwrap();
        writeln!(input, "hello").unwrap();
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
        assert!(rest.starts_with("error: ") && rest.contains("became shorter") && rest.lines().count() == 1, "{rest}");
    }
}

#[test]
fn a_signal_that_someone_sends_ends_the_process_as_ever() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    let models = model::models();
    let mut child = models.vt(&["chat", "chat.gguf"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "/stats").unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    assert!(Command::new("kill").args(["-BUS", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(nix::libc::SIGBUS));
}
