//! Standard output that nobody reads, or that is full.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

use crate::common::{Models, stderr};

/// Every command that writes to standard output. Those marked `true` fail for a reason of their own.
const COMMANDS: [(bool, &[&str]); 31] = [
    (false, &["--help"]),
    (false, &["--version"]),
    (false, &["help", "run"]),
    (false, &["run", "--help"]),
    (false, &["run", "whole.gguf", "-p", "hello", "-n", "4", "--special", "--temp", "0"]),
    (false, &["run", "whole.gguf", "-p", "hello", "-n", "4", "--json"]),
    (false, &["tokenize", "whole.gguf", "hello"]),
    (false, &["tokenize", "whole.gguf", "hello", "--json"]),
    (false, &["detokenize", "whole.gguf", "1,2,3"]),
    (false, &["bench", "whole.gguf", "-p", "2", "-n", "1", "-r", "1"]),
    (false, &["bench", "whole.gguf", "-p", "2", "-n", "1", "-r", "1", "-o", "json"]),
    (false, &["perplexity", "whole.gguf", "--tokens-file", "@ids", "-c", "4"]),
    (false, &["perplexity", "whole.gguf", "--tokens-file", "@ids", "-c", "4", "--json"]),
    (false, &["inspect", "whole.gguf"]),
    (false, &["inspect", "whole.gguf", "--json"]),
    (false, &["inspect", "foreign.gguf"]),
    (false, &["check", "whole.gguf"]),
    (false, &["check", "foreign.gguf"]),
    (true, &["check", "bad.gguf"]),
    (false, &["ops"]),
    (false, &["ops", "--json"]),
    (false, &["test-ops", "-o", "add"]),
    (true, &["test-ops", "-o", "nothing"]),
    (false, &["bench-ops", "-o", "add", "--smoke"]),
    (false, &["bench-ops", "-o", "add", "--smoke", "--json"]),
    (false, &["graph", "whole.gguf"]),
    (false, &["profile", "whole.gguf", "-p", "2", "-n", "1", "-t", "1"]),
    (false, &["graph", "whole.gguf", "--json"]),
    (false, &["pull", "smollm2"]),
    (false, &["completions", "bash"]),
    (false, &["completions", "zsh"]),
];

fn commands(models: &Models) -> impl Iterator<Item = (bool, Command, String)> {
    fs::write(models.path("bad.gguf"), b"GGUF and no more").unwrap();
    fs::write(models.path("ids"), "1 2 3 4").unwrap();
    fs::create_dir_all(models.path("pulled")).unwrap();
    fs::write(models.path("pulled/SmolLM2-135M-Instruct.Q4_1.gguf"), b"").unwrap();
    COMMANDS.iter().map(|(fails, arguments)| (*fails, models.vt(arguments), arguments.join(" ")))
}

#[test]
fn nobody_reading_is_no_failure() {
    let models = Models::new();
    for (fails, mut command, what) in commands(&models) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(i32::from(fails)), "{what}: {said}");
        assert_eq!(said.contains("error: "), fails, "{what}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_one_line() {
    let models = Models::new();
    for (fails, mut command, what) in commands(&models) {
        let output = command.stdout(File::create("/dev/full").unwrap()).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{what}: {said}");
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && (fails || errors[0].starts_with("error: standard output: ")), "{what}: {said}");
    }
    for arguments in [
        &["eval", "whole.gguf", "--tokens", "1,2", "--out", "/dev/full"][..],
        &["graph", "whole.gguf", "-o", "/dev/full"],
    ] {
        let output = models.vt(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains("error: /dev/full: "), "{}", stderr(&output));
    }
}
