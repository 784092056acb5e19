//! `vt profile` and `vt bench-ops`: what their numbers are made of, not how large they are.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::common::{DIM, Models, VOCAB, stderr};
use crate::failure;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    let number = value.as_f64().unwrap();
    assert!(number.is_finite() && number >= 0.0, "{number}");
    number
}

fn sum<'a>(rows: impl IntoIterator<Item = &'a Value>, key: &str) -> f64 {
    rows.into_iter().map(|row| number(&row[key])).sum()
}

/// Times are parts of the workers' time; calls and operations are those of the model.
#[test]
fn a_profile_adds_up() {
    let models = Models::new();
    let report = models.json(&["profile", "whole.gguf", "-p", "19", "-n", "5", "-t", "2", "--json"]);
    let steps = models.json(&["graph", "whole.gguf", "-t", "2", "--json"])["steps"].as_f64().unwrap();
    let limits = &report["limits"];
    assert_eq!(limits["threads"], 2);
    assert!(number(&limits["read_gb_s"]) > 0.0 && number(&limits["f32_gop_s"]) > 0.0);
    let phases = list(&report["phases"]);
    let named: Vec<_> = phases.iter().map(|p| (&p["phase"], &p["tokens"], &p["passes"])).collect();
    assert_eq!(named, [(&json!("prompt"), &json!(19), &json!(1)), (&json!("generation"), &json!(5), &json!(5))]);
    for phase in phases {
        let kernels = list(&phase["kernels"]);
        let all = number(&phase["worker_seconds"]);
        let parts = sum(kernels, "seconds") + number(&phase["waiting_seconds"]) + number(&phase["other_seconds"]);
        assert!((parts / all - 1.0).abs() < 1e-6 && (all / (2.0 * number(&phase["seconds"])) - 1.0).abs() < 1e-6);
        assert!(kernels.is_sorted_by(|a, b| number(&a["seconds"]) >= number(&b["seconds"])));
        for kernel in kernels {
            assert!(number(&kernel["longest_seconds"]) <= number(&kernel["seconds"]), "{kernel}");
            assert!((number(&kernel["share"]) * all / number(&kernel["seconds"]) - 1.0).abs() < 1e-6, "{kernel}");
            let speed = number(&kernel["bytes"]) / number(&kernel["longest_seconds"]) / 1e9;
            assert!((number(&kernel["gb_s"]) / speed - 1.0).abs() < 1e-6, "{kernel}");
            assert!(["read", "f32", "8-bit"].contains(&kernel["limit"].as_str().unwrap()), "{kernel}");
        }
    }
    assert_eq!(sum(list(&phases[1]["kernels"]), "calls"), 5.0 * steps);
    let products = |phase: &Value| {
        let kernels = list(&phase["kernels"]).iter();
        sum(kernels.filter(|k| k["op"].as_str().unwrap().starts_with("matmul")), "operations")
    };
    // Of two layers of the model in `common`: q, k, v and output, then gate, up and down.
    let layers = 2 * (2 * DIM * DIM + 2 * DIM * DIM / 2 + 3 * DIM * 96);
    let head = VOCAB * DIM;
    assert_eq!(products(&phases[1]), (5 * 2 * (layers + head)) as f64);
    assert_eq!(products(&phases[0]), (2 * (19 * layers + head)) as f64);
    let q4_1 = list(&phases[0]["kernels"]).iter().find(|k| k["weights"] == "q4_1").unwrap();
    assert!(q4_1["op"] == "matmul_bt_quant" && q4_1["kernel"].as_str().unwrap().contains("q4_1"));
}

#[test]
fn a_profile_is_a_table() {
    let models = Models::new();
    let mut command = models.vt(&["profile", "whole.gguf", "-p", "0", "-n", "2", "-t", "1"]);
    let output = command.env("VT_CPU_TIER", "portable").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    let mut lines = table.lines();
    let limits = lines.next().unwrap();
    assert!(
        limits.starts_with("limits of portable with 1 threads: read ") && limits.ends_with("8-bit as f32"),
        "{limits}"
    );
    assert!(lines.nth(1).unwrap().starts_with("generation: 2 tokens in 2 passes, "), "{table}");
    assert!(!table.contains("prompt"));
    let parts: Vec<f64> = lines.skip(1).map(milliseconds).collect();
    let (all, parts) = parts.split_last().unwrap();
    assert!(parts.len() > 10 && (parts.iter().sum::<f64>() - all).abs() < 0.01 * parts.len() as f64, "{table}");
}

/// The number in the column `ms`.
fn milliseconds(line: &str) -> f64 {
    line.get(68..79).unwrap().trim().parse().unwrap()
}

/// Each worker's stretches of time follow each other, inside of the passes.
#[test]
fn a_trace_has_a_track_for_each_worker() {
    let models = Models::new();
    let file = models.path("trace.json");
    models.stdout(&["profile", "whole.gguf", "-p", "7", "-n", "2", "-t", "2", "--trace", file.to_str().unwrap()]);
    let trace: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let events = list(&trace["traceEvents"]);
    let (names, stretches): (Vec<&Value>, Vec<&Value>) = events.iter().partition(|e| e["ph"] == "M");
    let tracks: Vec<_> = names.iter().map(|e| (&e["tid"], e["args"]["name"].as_str().unwrap())).collect();
    let expected = [(2, "passes"), (0, "worker 0"), (1, "worker 1")];
    assert!(expected.iter().all(|(tid, name)| tracks.contains(&(&json!(tid), name))), "{tracks:?}");
    let of = |tid: usize| -> Vec<(f64, f64)> {
        let own = stretches.iter().filter(|e| e["tid"] == tid);
        own.map(|e| (number(&e["ts"]), number(&e["ts"]) + number(&e["dur"]))).collect()
    };
    assert!(stretches.iter().all(|e| e["ph"] == "X" && e["name"].is_string()));
    let passes = of(2);
    assert_eq!((passes.len(), stretches.iter().filter(|e| e["name"] == "generation").count()), (3, 2));
    // Microseconds of some minutes have errors below a nanosecond.
    const EXACT: f64 = 1e-3;
    for worker in 0..2 {
        let own = of(worker);
        assert!(own.len() > 3 * 20 && own.windows(2).all(|pair| pair[1].0 >= pair[0].1 - EXACT));
        let inside = |e: &(f64, f64)| passes.iter().any(|p| p.0 - EXACT <= e.0 && e.1 <= p.1 + EXACT);
        assert!(own.iter().all(inside));
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let models = Models::new();
    let none = failure(models.vt(&["profile", "whole.gguf", "-p", "0", "-n", "0"]), 2);
    assert!(none.contains("-p and -n"), "{none}");
    let own = models.path("whole.gguf");
    let over = failure(models.vt(&["profile", "whole.gguf", "--trace", own.to_str().unwrap()]), 2);
    assert!(over.contains("whole.gguf"), "{over}");
    let long = usize::MAX.to_string();
    failure(models.vt(&["profile", "whole.gguf", "-p", &long, "-n", "1"]), 2);
    for (argument, expected) in [("-o", "no op `nothing`"), ("--kernel", "nothing was measured")] {
        let message = failure(models.vt(&["bench-ops", "--smoke", argument, "nothing"]), 1);
        assert!(message.contains(expected), "{message}");
    }
    let nowhere = models.path("no-folder/trace.json");
    let message = failure(models.vt(&["profile", "whole.gguf", "--trace", nowhere.to_str().unwrap()]), 1);
    assert!(message.contains("trace.json"), "{message}");
}

fn names<'a>(rows: impl IntoIterator<Item = &'a Value>, key: &str) -> BTreeSet<&'a str> {
    rows.into_iter().map(|row| row[key].as_str().unwrap()).collect()
}

/// No kernel is left out.
#[test]
fn the_smoke_test_runs_every_kernel() {
    let models = Models::new();
    let report = models.json(&["bench-ops", "--smoke", "--json", "-t", "2"]);
    let found = list(&report["kernels"]);
    assert!(report["limits"].is_null() && found.iter().all(|k| k["calls"] == 1 && k.get("seconds").is_none()));
    let ops = models.json(&["ops", "--json"]);
    let known = list(&ops).iter().flat_map(|answer| list(&answer["kernels"]));
    assert_eq!(names(found, "kernel"), names(known, "name"));
    assert_eq!(names(found, "op"), names(list(&ops), "op"));
}

#[test]
fn a_benchmark_has_a_row_for_each_case_and_kernel() {
    let models = Models::new();
    let report = models.json(&["bench-ops", "-o", "silu_mul", "--kernel", "portable", "-t", "1", "--json"]);
    assert_eq!(report["limits"]["threads"], 1);
    let rows = list(&report["kernels"]);
    let found: Vec<_> = rows.iter().map(|r| (r["case"].as_str().unwrap(), r["bytes"].as_u64().unwrap())).collect();
    assert_eq!(found, [("t1-d4096", 3 * 4 * 4096), ("t512-d4096", 3 * 4 * 4096 * 512)]);
    for row in rows {
        assert_eq!((&row["op"], &row["kernel"]), (&json!("silu_mul"), &json!("portable-silu_mul")));
        let speed = number(&row["bytes"]) / number(&row["seconds"]) / 1e9;
        assert!((number(&row["gb_s"]) / speed - 1.0).abs() < 1e-6 && row["calls"].as_u64().unwrap() > 0, "{row}");
        let share = number(&row["gb_s"]) / number(&report["limits"]["read_gb_s"]);
        assert!(row["limit"] == "read" && (number(&row["limit_share"]) / share - 1.0).abs() < 1e-6, "{row}");
    }
}
