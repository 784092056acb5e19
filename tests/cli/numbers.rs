//! The commands that compute.

use std::collections::HashSet;
use std::fs::File;

use crate::common::{Models, VOCAB, stderr};
use crate::{eval, ids, keys, list};
use serde_json::{Value, json};
use vt_cpu::TierName;

#[test]
fn logits_do_not_depend_on_how_they_are_computed() {
    let models = Models::new();
    let tokens: Vec<u32> = (0..40).map(|i| (i * 7 + 3) % 300).collect();
    let tokens = list(&tokens);
    let one = eval(&models, &["--tokens", &tokens, "-t", "1"], &[]);
    assert_eq!(one.len(), 40 * VOCAB);
    let same = |what: &str, logits: Vec<f32>| assert!(logits == one, "{what}");
    for threads in ["2", "3", "4"] {
        same(threads, eval(&models, &["--tokens", &tokens, "-t", threads], &[]));
        same("VT_THREADS", eval(&models, &["--tokens", &tokens], &[("VT_THREADS", threads)]));
    }
    for tier in TierName::available() {
        same(tier.name(), eval(&models, &["--tokens", &tokens], &[("VT_CPU_TIER", tier.name())]));
    }
    for chunk in ["1", "7", "25", "40", "1000"] {
        same(chunk, eval(&models, &["--tokens", &tokens, "--chunk", chunk], &[]));
    }
    same("unfused", eval(&models, &["--tokens", &tokens], &[("VT_FUSE", "0")]));
    let longer = list(&[11; 100]);
    for chunk in ["1", "7", "40"] {
        let beside = ["--beside", "5", "--beside", &longer, "--beside", "1,2,3,4,5,6,7,8,9"];
        let arguments = [&["--tokens", &tokens, "--chunk", chunk], &beside[..]].concat();
        same("beside others", eval(&models, &arguments, &[]));
    }
    let exact = eval(&models, &["--tokens", &tokens], &[("VT_CPU_REF", "1")]);
    assert!(exact != one && nmse(&one, &exact) < 1e-2, "{}", nmse(&one, &exact));
    let wide = eval(&models, &["--tokens", &tokens, "-ctk", "f32", "-ctv", "f32"], &[]);
    assert!(wide != one && nmse(&wide, &one) < 1e-3);
}

fn nmse(a: &[f32], exact: &[f32]) -> f64 {
    let square = |x: f32| f64::from(x) * f64::from(x);
    let error: f64 = a.iter().zip(exact).map(|(a, b)| square(a - b)).sum();
    error / exact.iter().map(|b| square(*b)).sum::<f64>()
}

#[test]
fn tokens_come_from_a_file_too() {
    let models = Models::new();
    std::fs::write(models.path("ids"), "1, 2\n3\n").unwrap();
    let file = models.path("ids");
    let from_file = eval(&models, &["--tokens-file", file.to_str().unwrap()], &[]);
    assert!(from_file == eval(&models, &["--tokens", "1,2,3"], &[]));
    assert!(from_file != eval(&models, &["--tokens", "1,2,4"], &[]));
}

/// The mean negative log-likelihood and the number of tokens, from logits of each piece: the oracle's rule.
fn likelihood(models: &Models, tokens: &[u32], context: usize) -> (usize, f64) {
    let (mut count, mut sum) = (0, 0.0);
    for piece in tokens.chunks_exact(context) {
        let logits = eval(models, &["--tokens", &list(piece)], &[]);
        for (row, next) in logits.chunks_exact(VOCAB).zip(&piece[1..]) {
            let total: f64 = row.iter().map(|logit| f64::from(*logit).exp()).sum();
            sum += total.ln() - f64::from(row[*next as usize]);
            count += 1;
        }
    }
    (count, sum / count as f64)
}

#[test]
fn perplexity_is_that_of_the_logits() {
    let models = Models::new();
    let tokens: Vec<u32> = (0..290).map(|i| (i * i * 7 + 3) % 300).collect();
    std::fs::write(models.path("text"), list(&tokens)).unwrap();
    // No rest, a rest, and pieces of more than one pass.
    for context in [29, 100, 140] {
        let size = context.to_string();
        let fixed = ["perplexity", "no-tokenizer.gguf", "--tokens-file", "@text", "-c", &size, "--json"];
        let found = models.json(&fixed);
        let (count, nll) = likelihood(&models, &tokens, context);
        assert_eq!((keys(&found), &found["tokens"]), (HashSet::from(["tokens", "nll", "ppl"]), &json!(count)));
        assert!((found["nll"].as_f64().unwrap() / nll - 1.0).abs() < 1e-12, "{found} for {nll}");
        assert!((found["ppl"].as_f64().unwrap() / nll.exp() - 1.0).abs() < 1e-12, "{found}");
        assert_eq!(found, models.json(&[&fixed[..], &["-t", "3"]].concat()));
    }
    let output =
        models.vt(&["perplexity", "no-tokenizer.gguf", "--tokens-file", "@text", "-c", "29"]).output().unwrap();
    assert!(output.stderr.is_empty() && output.stdout.starts_with(b"280 tokens | nll "));
    let output =
        models.vt(&["perplexity", "no-tokenizer.gguf", "--tokens-file", "@text", "-c", "100"]).output().unwrap();
    assert_eq!(stderr(&output), "warning: the last 90 of 290 tokens make no piece and are left out\n");
}

#[test]
fn perplexity_of_a_text_is_that_of_its_tokens() {
    let models = Models::new();
    let text = "hello, you <|im_start|>".repeat(4);
    std::fs::write(models.path("text"), &text).unwrap();
    let tokens = models.json(&["tokenize", "whole.gguf", &text, "--json"]);
    std::fs::write(models.path("ids"), list(&ids(&tokens["tokens"]))).unwrap();
    let measure = |input: [&str; 2]| {
        let mut command = models.vt(&["perplexity", "whole.gguf", input[0], input[1], "-c", "30", "--json"]);
        let output = command.stdin(File::open(models.path("text")).unwrap()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let found = measure(["-f", "@text"]);
    assert_eq!((&found, &found["tokens"]), (&measure(["--tokens-file", "@ids"]), &json!(58)));
    assert_eq!(measure(["-f", "-"]), found);
}

#[test]
fn bench_has_a_row_for_each_test() {
    let models = Models::new();
    let arguments = ["bench", "no-tokenizer.gguf", "-p", "9", "-n", "3", "-d", "4", "-r", "2", "-t", "1", "-o", "json"];
    let rows = models.json(&arguments);
    let tests: Vec<_> = rows.as_array().unwrap().iter().map(|r| (&r["n_prompt"], &r["n_gen"], &r["n_depth"])).collect();
    assert_eq!(tests, [(&json!(9), &json!(0), &json!(4)), (&json!(0), &json!(3), &json!(4))]);
    for row in rows.as_array().unwrap() {
        let samples = row["samples_ts"].as_array().unwrap();
        assert_eq!((samples.len(), row["samples_ns"].as_array().unwrap().len()), (2, 2));
        let mean = samples.iter().map(|s| s.as_f64().unwrap()).sum::<f64>() / 2.0;
        assert!((row["avg_ts"].as_f64().unwrap() / mean - 1.0).abs() < 1e-9);
        assert!(row["first_token_s"].as_f64().unwrap() > 0.0 && row["avg_ns"].as_u64().unwrap() > 0);
        assert_eq!((&row["n_threads"], &row["type_k"]), (&json!(1), &json!("f16")));
        assert!(row["model_filename"].as_str().unwrap().ends_with("no-tokenizer.gguf"));
    }
    let only = models.json(&["bench", "no-tokenizer.gguf", "-p", "0", "-n", "2", "-r", "1", "-o", "json"]);
    assert_eq!((only.as_array().unwrap().len(), &only[0]["n_gen"]), (1, &json!(2)));
    let table =
        String::from_utf8(models.stdout(&["bench", "no-tokenizer.gguf", "-p", "5", "-n", "2", "-r", "2"])).unwrap();
    let cells = |line: &str| line.split('|').map(|c| c.trim().to_owned()).filter(|c| !c.is_empty()).collect::<Vec<_>>();
    let lines: Vec<_> = table.lines().map(cells).collect();
    assert_eq!(lines[0], ["model", "size", "params", "backend", "threads", "test", "t/s"]);
    assert_eq!((lines.len(), lines[2][5].as_str(), lines[3][5].as_str()), (4, "pp5", "tg2"));
    assert!(lines[2][6].contains(" ± "));
}
