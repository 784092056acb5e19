//! A model's file that becomes shorter while it is mapped.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use vt::gguf::Fault;
use vt::models::load::Target;
use vt::models::{LoadOptions, Model, ModelError};

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
fn a_file_that_became_shorter_is_no_fault_of_its_tensors() {
    let models = model::models();
    let loaded = model::Loaded::new(&models, "chat.gguf");
    let registry = vt::default_registry(vt::cpu::Config { threads: Some(1), tier: None }).unwrap();
    let target = Target { registry, device: vt::cpu::CPU.to_owned() };
    let file = OpenOptions::new().write(true).open(models.path("chat.gguf")).unwrap();
    file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    let options = LoadOptions::default();
    let errors = [
        Model::load(&loaded.gguf, &target, &options).map(drop).unwrap_err(),
        vt::models::inspect(&loaded.gguf, &target, &options).map(drop).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(&error, ModelError::Gguf(e) if matches!(*e.fault, Fault::Shrunk { .. })), "{error}");
        assert_eq!(error.to_string().matches("chat.gguf").count(), 1, "{error}");
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
