//! The commands that read and write text.

use std::collections::HashSet;
use std::io::Write;
use std::process::Stdio;

use crate::common::{EOS, Models, START, VOCAB, architecture, tensors, write};
use crate::{best, eval, failure, ids, keys, list};
use serde_json::Value;
use serde_json::json;

#[test]
fn greedy_continuations_take_the_largest_logit() {
    let models = Models::new();
    let run = models.json(&["run", "whole.gguf", "-p", "hello, you", "-n", "6", "--temp", "0", "--json"]);
    assert_eq!(keys(&run), HashSet::from(["prompt_tokens", "tokens", "text", "finish_reason", "timings"]));
    let times = HashSet::from(["load_ms", "prompt_ms", "gen_ms", "prompt_tok_s", "gen_tok_s"]);
    assert_eq!(keys(&run["timings"]), times);
    let (mut fed, tokens) = (ids(&run["prompt_tokens"]), ids(&run["tokens"]));
    assert_eq!(fed, [259, b','.into(), b' '.into(), b'y'.into(), b'o'.into(), b'u'.into()]);
    for token in &tokens {
        let logits = eval(&models, &["--tokens", &list(&fed)], &[]);
        assert_eq!(*token, best(&logits[logits.len() - VOCAB..]));
        fed.push(*token);
    }
    let ended = tokens.last() == Some(&EOS);
    assert_eq!(run["finish_reason"], if ended { "stop" } else { "length" });
    assert!(ended || tokens.len() == 6);
    let shown = models.stdout(&["detokenize", "whole.gguf", &list(&tokens)]);
    assert_eq!(run["text"], String::from_utf8_lossy(&shown).as_ref());
    let streamed = models.vt(&["run", "whole.gguf", "-p", "hello, you", "-n", "6", "--temp", "0"]).output().unwrap();
    assert_eq!(String::from_utf8(streamed.stdout).unwrap(), run["text"]);
    assert!(String::from_utf8(streamed.stderr).unwrap().starts_with("prompt 6 tok "));
}

#[test]
fn a_seed_decides_what_is_drawn() {
    let models = Models::new();
    let run = |more: &[&str]| {
        models.json(&[&["run", "whole.gguf", "-p", "hello", "-n", "20", "--json", "--top-k", "0"], more].concat())
    };
    let first = run(&["--seed", "7"]);
    assert_eq!(first["tokens"], run(&["--seed", "7", "-t", "3"])["tokens"]);
    assert_ne!(first["tokens"], run(&["--seed", "8"])["tokens"]);
    assert_ne!(first["tokens"], run(&["--seed", "7", "--top-p", "0.1"])["tokens"]);
    assert_ne!(run(&[])["tokens"], run(&[])["tokens"]);
}

#[test]
fn bias_and_penalties_change_what_is_chosen() {
    let models = Models::new();
    let run = |more: &[&str]| {
        let fixed = ["run", "whole.gguf", "-p", "hello", "-n", "12", "--temp", "0", "--json"];
        ids(&models.json(&[&fixed, more].concat())["tokens"])
    };
    let plain = run(&[]);
    assert_eq!(plain, run(&["--repeat-penalty", "1", "--presence-penalty", "0", "--frequency-penalty", "0"]));
    assert_eq!(plain, run(&["--repeat-penalty", "9", "--repeat-last-n", "0"]));
    assert_eq!(run(&["--logit-bias", "7:1000"]), [7; 12]);
    assert_eq!(run(&["--logit-bias", "7+1000", "--logit-bias", "8:1001"]), [8; 12]);
    let banned = format!("{}:-inf", plain[0]);
    assert!(!run(&["--logit-bias", &banned]).contains(&plain[0]));
    let penalized = run(&["--presence-penalty", "1000", "--logit-bias", "260-inf"]);
    assert_eq!(penalized.iter().collect::<HashSet<_>>().len(), 12);
    // The prompt's only token is recent too.
    assert!(!penalized.contains(&259));
    assert_eq!(run(&["--frequency-penalty", "-1000"]), [259; 12]);
    assert_ne!(run(&["--repeat-penalty", "1000"]), plain);
}

#[test]
fn stop_texts_end_the_text_before_them() {
    let models = Models::new();
    let run = |more: &[&str]| {
        let fixed = ["run", "whole.gguf", "-p", "hello", "-n", "24", "--seed", "5", "--json"];
        models.json(&[&fixed, more].concat())
    };
    let all = run(&[])["text"].as_str().unwrap().to_owned();
    let letters: Vec<char> = all.chars().collect();
    assert!(letters.len() > 8, "{all:?}");
    // Two letters, so that the stop text lies across tokens.
    let stop: String = letters[4..6].iter().collect();
    let stopped = run(&["--stop", "never there", "--stop", &stop]);
    assert_eq!(stopped["finish_reason"], "stop");
    assert_eq!(stopped["text"], &all[..all.find(&stop).unwrap()]);
    assert!(ids(&stopped["tokens"]).len() < 24);
    // One letter that never gets its second is shown in the end.
    let half = format!("{}\u{1}", letters[letters.len() - 1]);
    assert_eq!(run(&["--stop", &half])["text"], all);
}

#[test]
fn the_context_limits_what_is_generated() {
    let models = Models::new();
    let run = models.json(&["run", "whole.gguf", "-p", "abc", "-c", "5", "--seed", "1", "--json"]);
    assert_eq!((ids(&run["tokens"]).len(), &run["finish_reason"]), (2, &json!("length")));
    for (prompt, context) in [("a", "1"), ("abc", "3")] {
        let run = models.json(&["run", "whole.gguf", "-p", prompt, "-c", context, "--json"]);
        assert_eq!((&run["tokens"], &run["finish_reason"]), (&json!([]), &json!("length")), "{prompt} in {context}");
    }
    let message = failure(models.vt(&["run", "whole.gguf", "-p", "abcdef", "-c", "5"]), 1);
    assert!(message.contains("context of 5"), "{message}");
    assert!(failure(models.vt(&["run", "whole.gguf", "-p", ""]), 1).contains("no tokens: it is empty"));
    let first = models.json(&["run", "whole.gguf", "-p", "abc", "-n", "1", "--json"]);
    assert!(first["timings"]["gen_tok_s"].is_null() && first["timings"]["prompt_tok_s"].as_f64() > Some(0.0));
    let none = models.json(&["run", "whole.gguf", "-p", "abc", "-n", "0", "--json"]);
    assert_eq!((&none["tokens"], &none["text"]), (&json!([]), &json!("")));
}

#[test]
fn a_text_without_tokens_is_told_why() {
    let models = Models::new();
    write(&models.path("gap.gguf"), |w| {
        architecture(w, "llama");
        let mut tokens: Vec<String> = (0..VOCAB).map(|id| format!("[{id}]")).collect();
        tokens[0] = "a".into();
        w.set("tokenizer.ggml.model", "gpt2").unwrap().set("tokenizer.ggml.pre", "gpt-2").unwrap();
        w.set("tokenizer.ggml.tokens", tokens.as_slice()).unwrap();
        w.set("tokenizer.ggml.merges", [""; 0]).unwrap();
        tensors(w);
    });
    let run = |prompt| models.vt(&["run", "gap.gguf", "-p", prompt, "-n", "1"]);
    assert!(failure(run("zz"), 1).ends_with("no tokens: the vocabulary has none for any of its 2 bytes\n"));
    assert!(run("az").status().unwrap().success());
}

#[test]
fn prompts_come_from_files_and_standard_input_as_they_are() {
    let models = Models::new();
    std::fs::write(models.path("text"), " hello\n").unwrap();
    let run = models.json(&["run", "whole.gguf", "-f", "@text", "-n", "1", "--json"]);
    assert_eq!(ids(&run["prompt_tokens"]), [b' '.into(), 259, b'\n'.into()]);
    let run = models.json(&["run", "whole.gguf", "-p", "<|im_start|>", "--special", "-n", "1", "--json"]);
    assert_eq!(ids(&run["prompt_tokens"]), [START]);
    let run = models.json(&["run", "whole.gguf", "-p", "-x", "-n", "1", "--json"]);
    assert_eq!(ids(&run["prompt_tokens"]), b"-x".map(u32::from));
}

#[test]
fn texts_go_to_tokens_and_back() {
    let models = Models::new();
    for file in ["whole.gguf", "no-tensors.gguf", "foreign.gguf"] {
        let got = models.json(&["tokenize", file, "hello é<|im_start|>", "--special", "--json"]);
        let expected = [259, b' '.into(), 0xc3, 0xa9, START];
        assert_eq!(ids(&got["tokens"]), expected);
        assert_eq!(got["pieces"], json!(["hello", " ", "\u{fffd}", "\u{fffd}", "<|im_start|>"]));
        let back = models.stdout(&["detokenize", file, &list(&expected)]);
        assert_eq!(String::from_utf8(back).unwrap(), "hello é");
        let back = models.stdout(&["detokenize", file, &list(&expected), "--special"]);
        assert_eq!(String::from_utf8(back).unwrap(), "hello é<|im_start|>");
    }
    let plain = models.json(&["tokenize", "whole.gguf", "<|im_start|>", "--json"]);
    assert_eq!(ids(&plain["tokens"]).len(), 12);
    let lines = String::from_utf8(models.stdout(&["tokenize", "whole.gguf", "hello\n"])).unwrap();
    let words: Vec<Vec<&str>> = lines.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words, [["259", "\"hello\""], ["10", "\"\\n\""]]);
}

#[test]
fn standard_input_is_taken_as_it_is() {
    let models = Models::new();
    let mut child = models.vt(&["tokenize", "whole.gguf", "-", "--json"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\r\n\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let got: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(ids(&got["tokens"]), [0xff, b'\r'.into(), b'\n'.into(), b'\n'.into()]);
}
