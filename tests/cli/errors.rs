//! What goes wrong.

use std::io::Read;
use std::process::Stdio;

use crate::common::{Models, stderr};
use crate::failure;
use vt_cpu::TierName;

#[test]
fn what_cannot_be_asked_for_exits_with_2() {
    let models = Models::new();
    let asked: [&[&str]; 20] = [
        &["nothing"],
        &["eval", "whole.gguf", "--out", "out.npy"],
        &["eval", "whole.gguf", "--tokens", "1,x", "--out", "out.npy"],
        &["eval", "whole.gguf", "--tokens", "", "--out", "out.npy"],
        &["eval", "whole.gguf", "--tokens", "1", "--chunk", "0", "--out", "out.npy"],
        &["eval", "whole.gguf", "--tokens", "1", "--out", "out.npy", "-t", "0"],
        &["eval", "whole.gguf", "--tokens", "1", "--out", "out.npy", "-ctk", "q8_0"],
        &["bench", "whole.gguf", "-p", "0", "-n", "0"],
        &["run", "whole.gguf"],
        &["run", "whole.gguf", "-p", "a", "--temp", "-1"],
        &["run", "whole.gguf", "-p", "a", "--top-p", "2"],
        &["run", "whole.gguf", "-p", "a", "--repeat-penalty", "0"],
        &["run", "whole.gguf", "-p", "a", "--presence-penalty", "nan"],
        &["run", "whole.gguf", "-p", "a", "--logit-bias", "7"],
        &["run", "whole.gguf", "-p", "a", "--logit-bias", "7:inf"],
        &["perplexity", "whole.gguf"],
        &["perplexity", "whole.gguf", "--tokens-file", "@ids", "-c", "1"],
        &["perplexity", "whole.gguf", "--tokens", "1,2,3"],
        &["perplexity", "whole.gguf", "-f", "@ids", "--tokens-file", "@ids"],
        &["pull", "nothing"],
    ];
    for arguments in asked {
        failure(models.vt(arguments), 2);
    }
    for (variable, value) in [("VT_THREADS", "two"), ("VT_CPU_TIER", "sse"), ("VT_FUSE", "?"), ("VT_CPU_REF", "2")] {
        let mut command = models.vt(&["ops"]);
        command.env(variable, value);
        assert!(failure(command, 2).contains(variable));
    }
    for count in ["0", "1025"] {
        let mut command = models.vt(&["ops"]);
        command.env("VT_THREADS", count);
        assert_eq!(failure(command, 2), format!("error: VT_THREADS: threads: expected 1 to 1024, found {count}\n"));
        let mut command = models.vt(&["ops", "-t", count]);
        command.env("VT_THREADS", "1");
        assert_eq!(failure(command, 2), format!("error: threads: expected 1 to 1024, found {count}\n"));
    }
    for tier in TierName::ALL.into_iter().filter(|tier| !tier.is_available()) {
        let mut command = models.vt(&["ops"]);
        command.env("VT_CPU_TIER", tier.name());
        assert!(failure(command, 2).contains("lacks"));
    }
}

#[test]
fn numbers_below_0_are_told_what_they_may_be() {
    let models = Models::new();
    let cases = [
        ("--temp", "-1", "temperature must be finite and at least 0, not -1"),
        ("--top-p", "-0.5", "not -0.5"),
        ("--min-p", "-1", "not -1"),
        ("--repeat-penalty", "-1", "not -1"),
        ("--top-k", "-1", "expected a whole number from 0 on"),
        ("-n", "-1", "expected a whole number from 0 on"),
        ("-c", "-1", "expected a whole number from 0 on"),
        ("-t", "-2", "expected a whole number from 0 on"),
        ("--seed", "-1", "expected a whole number from 0 on"),
    ];
    for (option, value, what) in cases {
        let message = failure(models.vt(&["run", "whole.gguf", "-p", "a", option, value]), 2);
        assert!(message.lines().next().unwrap().contains(what), "{option}: {message}");
    }
    models.stdout(&["run", "whole.gguf", "-p", "-1", "-n", "1", "--frequency-penalty", "-0.5"]);
}

#[test]
fn what_fails_exits_with_1_and_one_line() {
    let models = Models::new();
    std::fs::write(models.path("bad.gguf"), b"GGUF and no more").unwrap();
    std::fs::write(models.path("ids"), "1 2 three").unwrap();
    std::fs::write(models.path("few"), "1 2 3 300").unwrap();
    let cases: [(&[&str], &str); 13] = [
        (&["eval", "missing.gguf", "--tokens", "1", "--out", "out.npy"], "missing.gguf"),
        (&["eval", "bad.gguf", "--tokens", "1", "--out", "out.npy"], "bad.gguf"),
        (&["eval", "whole.gguf", "--tokens", "1,300", "--out", "out.npy"], "300"),
        (&["eval", "whole.gguf", "--tokens-file", "@ids", "--out", "out.npy"], "three"),
        (&["eval", "foreign.gguf", "--tokens", "1", "--out", "out.npy"], "never-heard-of"),
        (&["run", "no-model-of-this-name", "-p", "a"], "smollm2"),
        (&["run", "no-tokenizer.gguf", "-p", "a"], "tokenizer.ggml.model"),
        (&["detokenize", "whole.gguf", "999"], "999"),
        (&["run", "whole.gguf", "-p", "a", "--logit-bias", "300:1"], "300"),
        (
            &["perplexity", "whole.gguf", "--tokens-file", "@few"],
            "expected at least 512 tokens (-c), found 4; a smaller -c ",
        ),
        (&["perplexity", "whole.gguf", "-f", "@few"], "expected at least 512 tokens (-c), found 9; a smaller -c "),
        (&["perplexity", "whole.gguf", "--tokens-file", "@few", "-c", "2"], "300"),
        (&["perplexity", "whole.gguf", "--tokens-file", "@ids", "-c", "2"], "three"),
    ];
    for (arguments, named) in cases {
        let message = failure(models.vt(arguments), 1);
        assert!(message.contains(named) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let models = Models::new();
    let mut command = models.vt(&["ops", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success() && said.is_empty(), "{said}");
}

#[test]
fn without_python_nothing_is_pulled_and_nothing_left_behind() {
    let models = Models::new();
    let mut command = models.vt(&["pull", "smollm2"]);
    let output = command.env("PATH", models.path("nowhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).lines().last().unwrap().starts_with("error: ") && stderr(&output).contains("python3"));
    assert_eq!(std::fs::read_dir(models.path("pulled")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_computed_leaves_files_as_they_are() {
    let models = Models::new();
    std::fs::write(models.path("kept.npy"), "kept").unwrap();
    for more in [["--tokens", "1,300"], ["--tokens=1", "--beside=300"]] {
        let arguments = [&["eval", "whole.gguf", "--out", "kept.npy"], more.as_slice()].concat();
        failure(models.vt(&arguments), 1);
        assert_eq!(std::fs::read(models.path("kept.npy")).unwrap(), b"kept");
    }
    let whole = std::fs::read(models.path("whole.gguf")).unwrap();
    failure(models.vt(&["eval", "whole.gguf", "--tokens", "1", "--out", "whole.gguf"]), 2);
    failure(models.vt(&["graph", "whole.gguf", "-o", "whole.gguf"]), 2);
    assert_eq!(std::fs::read(models.path("whole.gguf")).unwrap(), whole);
}

#[test]
fn all_that_stands_in_the_way_is_listed_and_nothing_else() {
    let models = Models::new();
    let message = failure(models.vt(&["eval", "odd.gguf", "--tokens", "1", "--out", "out.npy"]), 1);
    for named in ["odd.gguf: ", "`rope.scaling.type`", "`blk.1.attn_q_norm.weight`"] {
        assert!(message.contains(named), "{message}");
    }
    for harmless in ["attn_rot_embd", "blk.2", "extra"] {
        assert!(!message.contains(harmless), "{message}");
    }
}
