//! What help, completions and the parser say.

use crate::common::{Models, stderr};
use crate::failure;

#[test]
fn help_teaches() {
    let models = Models::new();
    let help = String::from_utf8(models.stdout(&["--help"])).unwrap();
    for part in ["Text:", "Models:", "A first session:", "vt run smollm2", "Exit status:", "VT_MODELS", "--version"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    let check = String::from_utf8(models.stdout(&["check", "--help"])).unwrap();
    assert!(check.contains("Examples:") && check.contains("vt check model.gguf") && check.contains("Usage: vt check"));
    for command in ["run", "chat"] {
        let help = String::from_utf8(models.stdout(&[command, "--help"])).unwrap();
        assert!(help.contains("\nSampling, in this order: logit-bias, penalties, top-k, "), "{help}");
    }
    let takes: [(_, _, &[&str]); 3] =
        [("tokenize", false, &["a"]), ("detokenize", false, &["1"]), ("inspect", true, &[])];
    for (command, shown, more) in takes {
        let help = String::from_utf8(models.stdout(&[command, "--help"])).unwrap();
        for option in ["--threads", "--cache-type-k", "--cache-type-v"] {
            assert_eq!(help.contains(option), shown, "{option} in {command}: {help}");
        }
        models.stdout(&[&[command, "whole.gguf", "-t", "1", "-ctk", "f32"], more].concat());
    }
    let short = String::from_utf8(models.stdout(&["check", "-h"])).unwrap();
    assert!(short.len() < check.len() && !short.contains("Examples:"));
}

#[test]
fn arguments_that_are_not_understood_exit_with_2_and_say_why_first() {
    let models = Models::new();
    let asked: [(&[&str], &str); 7] = [
        (&["rnu", "whole.gguf"], "rnu"),
        (&["run", "whole.gguf", "-p", "a", "--tepm", "1"], "--tepm"),
        (&["run", "whole.gguf", "-p", "a", "-n", "many"], "many"),
        (&["run", "-p", "a"], "required"),
        (&["eval", "whole.gguf", "--tokens", "1,x", "--out", "o.npy"], "expected a token id, found `x`"),
        (&["completions", "csh"], "csh"),
        (&["check"], "required"),
    ];
    for (arguments, named) in asked {
        let message = failure(models.vt(arguments), 2);
        let first = message.lines().next().unwrap();
        assert!(first.starts_with("error: ") && first.contains(named), "{message}");
    }
    let output = models.vt(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: vt"));
}

#[test]
fn arguments_of_other_programs_are_answered_with_vts_own() {
    let models = Models::new();
    let asked: [(&[&str], &str); 4] = [
        (&["run", "-m", "whole.gguf", "-p", "a"], "tip: the model is given without a flag: vt run MODEL"),
        (&["bench", "--model", "whole.gguf"], "tip: the model is given without a flag: vt bench MODEL"),
        (&["chat", "whole.gguf", "-p", "a"], "tip: questions are typed, or lines of standard input"),
        (&["chat", "whole.gguf", "--prompt=a"], "tip: questions are typed, or lines of standard input"),
    ];
    for (arguments, tip) in asked {
        let message = failure(models.vt(arguments), 2);
        assert!(message.contains(tip) && message.matches("tip: ").count() == 1, "{message}");
    }
}

#[test]
fn a_name_that_is_unknown_is_answered_with_those_that_are() {
    let models = Models::new();
    for (arguments, status) in [(&["run", "nosuchmodel", "-p", "a"][..], 1), (&["pull", "nosuchmodel"], 2)] {
        let message = failure(models.vt(arguments), status);
        for name in ["nosuchmodel", "smollm2", "gemma3-270m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "hf:OWNER"] {
            assert!(message.contains(name), "{message}");
        }
    }
}

#[test]
fn a_file_that_is_there_is_not_said_to_be_missing() {
    let models = Models::new();
    std::fs::create_dir(models.path("folder")).unwrap();
    for (argument, what) in [("whole.gguf", "a file that is there"), ("@folder", "a folder")] {
        let message = failure(models.vt(&["pull", argument]), 2);
        assert!(message.contains(what) && !message.contains("no such file"), "{message}");
        assert!(message.contains("smollm2") && message.contains("hf:OWNER/REPO/FILE.gguf"), "{message}");
    }
    for name in ["nosuch.gguf".to_owned(), "n".repeat(100_000)] {
        let mut command = models.vt(&["pull"]);
        let message = failure(
            {
                command.arg(&name);
                command
            },
            2,
        );
        assert!(message.contains("no such file") && message.contains("hf:OWNER/REPO/FILE.gguf"), "{message}");
    }
}

#[test]
fn completions_know_every_command_in_every_shell() {
    let models = Models::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = String::from_utf8(models.stdout(&["completions", shell])).unwrap();
        for word in ["tokenize", "test-ops", "completions", "cache-type-k"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
