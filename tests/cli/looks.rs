//! The commands that look at files, ops and plans.

use std::collections::HashSet;

use crate::common::{DIM, Models, VOCAB, architecture, stderr, tensors, write};
use crate::keys;
use serde_json::Value;
use serde_json::json;

#[test]
fn inspect_tells_what_becomes_of_each_tensor() {
    let models = Models::new();
    let report = models.json(&["inspect", "whole.gguf", "--json"]);
    assert_eq!(keys(&report), HashSet::from(["arch", "metadata", "tensors", "memory"]));
    assert_eq!((&report["arch"], &report["metadata"]["llama.block_count"]), (&json!("llama"), &json!(2)));
    assert_eq!(report["metadata"]["tokenizer.ggml.tokens"], json!({ "array": "string", "len": VOCAB }));
    assert_eq!(report["metadata"]["tokenizer.ggml.merges"], json!(["h e", "l l", "he ll", "hell o"]));
    let tensors = report["tensors"].as_array().unwrap();
    assert_eq!(tensors.len(), 20);
    let fields = ["name", "type", "shape", "offset", "bytes", "role", "residency", "reason"];
    assert!(tensors.iter().all(|t| keys(t) == HashSet::from(fields)));
    let table = &tensors[0];
    assert_eq!((&table["type"], &table["shape"]), (&json!("q8_0"), &json!([VOCAB, DIM])));
    assert_eq!((&table["role"], &table["residency"]), (&json!("tied embedding"), &json!("keep")));
    let bytes: u64 = tensors.iter().map(|t| t["bytes"].as_u64().unwrap()).sum();
    assert_eq!(report["memory"]["weights"], bytes);
    // Keys and values of f16: 2 layers, 2 heads, 16 elements, 128 positions.
    assert_eq!(report["memory"]["kv"], 2 * 2 * 2 * 16 * 2 * 128);
    assert!(report["memory"]["arena"].as_u64().unwrap() > 0);
    let mut decoded = models.vt(&["inspect", "whole.gguf", "--json"]);
    let decoded: Value = serde_json::from_slice(&decoded.env("VT_CPU_REF", "1").output().unwrap().stdout).unwrap();
    assert_eq!(decoded["tensors"][0]["reason"], "VT_CPU_REF=1");
    assert!(decoded["memory"]["weights"].as_u64().unwrap() > 2 * bytes);
}

#[test]
fn what_a_terminal_acts_on_stays_in_the_file() {
    let models = Models::new();
    let name = "a\u{1b}[31m\u{7f}\u{9b}2J\u{202e}b";
    let file = "\u{9b}31m.gguf";
    write(&models.path(file), |w| {
        architecture(w, "llama");
        w.set("general.name", name).unwrap();
        tensors(w);
    });
    for arguments in [&["inspect", file, "--json"][..], &["inspect", file], &["check", file]] {
        let shown = String::from_utf8(models.stdout(arguments)).unwrap();
        let acts = |c: &char| *c != '\n' && vt_gguf::printable(*c) != *c;
        assert_eq!(shown.chars().find(acts), None, "{arguments:?}: {shown:?}");
    }
    assert_eq!(models.json(&["inspect", file, "--json"])["metadata"]["general.name"], name);
}

#[test]
fn inspect_works_on_every_file() {
    let models = Models::new();
    for (file, tensors) in [("foreign.gguf", 20), ("no-tensors.gguf", 0)] {
        let output = models.vt(&["inspect", file, "--json"]).output().unwrap();
        assert!(output.status.success() && stderr(&output).starts_with("warning: "), "{}", stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["memory"], json!({ "weights": null, "kv": null, "arena": null }));
        let list = report["tensors"].as_array().unwrap();
        assert_eq!(list.len(), tensors);
        assert!(list.iter().all(|t| t["role"].is_null() && t["residency"].is_null() && t["reason"].is_null()));
    }
    let table = String::from_utf8(models.stdout(&["inspect", "whole.gguf"])).unwrap();
    for part in ["architecture: llama", "blk.1.ffn_down.weight", "tied embedding", "q4_1", "arena"] {
        assert!(table.contains(part), "{part}");
    }
}

#[test]
fn ops_shows_every_op_and_takes_the_first_kernel_that_can() {
    let models = Models::new();
    let list = models.json(&["ops", "--json"]);
    let mut seen = HashSet::new();
    for entry in list.as_array().unwrap() {
        seen.insert(entry["op"].as_str().unwrap().to_owned());
        let kernels = entry["kernels"].as_array().unwrap();
        let first = kernels.iter().find(|k| k["supported"] == true).map(|k| &k["name"]);
        assert_eq!(entry["chosen"], *first.unwrap_or(&Value::Null));
        assert!(kernels.iter().all(|k| k["supported"].as_bool().unwrap() == k["reason"].is_null()));
        assert!(kernels.is_sorted_by_key(|k| std::cmp::Reverse(k["priority"].as_i64().unwrap())));
    }
    let registered: HashSet<String> = vt_core::op::entries().iter().map(|e| e.name.to_owned()).collect();
    assert_eq!(seen, registered);
    let mut portable = models.vt(&["ops", "--json"]);
    let portable = portable.env("VT_CPU_TIER", "portable").output().unwrap();
    let portable: Value = serde_json::from_slice(&portable.stdout).unwrap();
    let chosen = portable.as_array().unwrap().iter().filter_map(|e| e["chosen"].as_str());
    assert!(chosen.clone().count() > 0 && chosen.into_iter().all(|name| name.starts_with("portable")));
    assert!(String::from_utf8(models.stdout(&["ops"])).unwrap().contains("device cpu"));
}

#[test]
fn graph_counts_what_is_planned() {
    let models = Models::new();
    let graph = models.json(&["graph", "no-tokenizer.gguf", "--json", "-t", "2", "-o", "@plan.dot"]);
    assert_eq!(keys(&graph), HashSet::from(["steps", "barriers_per_layer", "arena_bytes", "fused", "unfused"]));
    let steps = graph["steps"].as_u64().unwrap();
    assert!(steps > 20 && graph["arena_bytes"].as_u64().unwrap() > 0);
    assert!((1..=12).contains(&graph["barriers_per_layer"].as_u64().unwrap()));
    let dot = std::fs::read_to_string(models.path("plan.dot")).unwrap();
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}') && dot.contains("attend"));
    let alone = models.json(&["graph", "no-tokenizer.gguf", "--json", "-t", "1"]);
    assert_eq!(alone["barriers_per_layer"], 0);
    let mut command = models.vt(&["graph", "no-tokenizer.gguf", "--json"]);
    let unfused: Value = serde_json::from_slice(&command.env("VT_FUSE", "0").output().unwrap().stdout).unwrap();
    assert_eq!((&unfused["fused"], &unfused["unfused"]), (&json!({}), &graph["fused"]));
    assert!(!graph["fused"].as_object().unwrap().is_empty() && unfused["steps"].as_u64().unwrap() > steps);
}

#[test]
fn test_ops_replays_what_is_chosen() {
    let models = Models::new();
    let output = models.vt(&["test-ops", "-o", "add"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    for unknown in [["-o", "nothing"], ["--device", "nothing"], ["--kernel", "nothing"]] {
        let output = models.vt(&[&["test-ops"], &unknown[..]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
    }
}
