//! How a text ends: by Ctrl-C, and with the report behind it.
#![cfg(unix)]

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command};

use crate::common::Models;

/// A command whose standard output and standard error are one pipe.
fn together(models: &Models, arguments: &[&str]) -> (Child, PipeReader) {
    let (reader, writer) = io::pipe().unwrap();
    let mut command = models.vt(arguments);
    let child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    (child, reader)
}

#[test]
fn a_report_behind_a_text_is_a_line_of_its_own() {
    let models = Models::new();
    for more in ["--logit-bias=97:1000", "--logit-bias=10:1000"] {
        let arguments = ["run", "whole.gguf", "-p", "hello", "-n", "3", more];
        let text = String::from_utf8(models.stdout(&arguments)).unwrap();
        let (mut child, mut output) = together(&models, &arguments);
        let mut seen = String::new();
        output.read_to_string(&mut seen).unwrap();
        assert!(child.wait().unwrap().success());
        let end = if text.ends_with('\n') { "" } else { "\n" };
        assert!(text.len() == 3 && seen.starts_with(&format!("{text}{end}prompt 1 tok ")), "{seen:?}");
    }
}

#[test]
fn an_interrupt_ends_the_text_and_the_report_follows() {
    let models = Models::new();
    let endless = ["-c", "1000000", "--logit-bias", "97:1000", "-t", "1"];
    let (mut child, mut output) = together(&models, &[&["run", "whole.gguf", "-p", "hello"], &endless[..]].concat());
    output.read_exact(&mut [0; 20]).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report = rest.trim_start_matches('a');
    assert!(report.starts_with("\nprompt 1 tok ") && report.lines().count() == 2, "{report:?}");
}
