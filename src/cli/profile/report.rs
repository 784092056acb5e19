//! The phases as tables and as JSON.

use std::fmt::{Result, Write};
use std::time::Duration;

use serde_json::{Value, json};
use vt_cpu::Limits;

use super::phase::{KernelTime, Phase};
use crate::cli::{json_text, limits};

pub(super) fn json(limits: &Limits, phases: &[Phase]) -> String {
    let phases: Vec<Value> = phases.iter().map(|phase| phase_json(limits, phase)).collect();
    json_text::lines(&json!({ "limits": limits::json(limits), "phases": phases }))
}

fn phase_json(limits: &Limits, phase: &Phase) -> Value {
    let kernel = |kernel: &&KernelTime| {
        let mut object = json!({
            "op": kernel.op,
            "kernel": kernel.kernel,
            "weights": kernel.weight.map(|weight| weight.name()),
            "calls": kernel.calls,
            "seconds": kernel.time.as_secs_f64(),
            "longest_seconds": kernel.longest.as_secs_f64(),
            "share": share(kernel.time, phase),
            "bytes": kernel.cost.bytes,
            "operations": kernel.cost.operations,
        });
        limits::add_json(kernel.speed(limits), &mut object);
        object
    };
    json!({
        "phase": phase.name,
        "tokens": phase.tokens,
        "passes": phase.passes,
        "seconds": phase.elapsed.as_secs_f64(),
        "worker_seconds": phase.available().as_secs_f64(),
        "kernels": phase.by_time().iter().map(kernel).collect::<Vec<_>>(),
        "waiting_seconds": phase.waiting.as_secs_f64(),
        "other_seconds": phase.other().as_secs_f64(),
    })
}

/// The part of all workers' time.
fn share(time: Duration, phase: &Phase) -> f64 {
    time.as_secs_f64() / phase.available().as_secs_f64().max(f64::MIN_POSITIVE)
}

pub(super) fn table(limits: &Limits, phases: &[Phase]) -> String {
    let mut out = limits::line(limits) + "\n";
    for phase in phases {
        // Writing to a string does not fail.
        let _ = write(limits, phase, &mut out);
    }
    out
}

fn write(limits: &Limits, phase: &Phase, out: &mut String) -> Result {
    let Phase { name, tokens, passes, .. } = phase;
    let seconds = phase.elapsed.as_secs_f64();
    let passes = if *passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") };
    let speed = *tokens as f64 / seconds.max(f64::MIN_POSITIVE);
    writeln!(out, "\n{name}: {tokens} tokens in {passes}, {:.1} ms, {speed:.1} tokens/s", seconds * 1e3)?;
    let heads = limits::HEADS;
    writeln!(out, "  {:<18} {:<32} {:<7} {:>6} {:>10} {:>6} {heads}", "op", "kernel", "weights", "calls", "ms", "%")?;
    let mut line = |what: String, time: Duration, speed: String| {
        let (ms, percent) = (time.as_secs_f64() * 1e3, share(time, phase) * 100.0);
        writeln!(out, "{}", format!("  {what:<66} {ms:>10.2} {percent:>6.1} {speed}").trim_end())
    };
    for kernel in phase.by_time() {
        let weight = kernel.weight.map_or("", |weight| weight.name());
        let what = format!("{:<18} {:<32} {weight:<7} {:>6}", kernel.op, kernel.kernel, kernel.calls);
        line(what, kernel.time, limits::cells(kernel.speed(limits)))?;
    }
    line("waiting at barriers".to_owned(), phase.waiting, String::new())?;
    line("beginning and ending passes".to_owned(), phase.other(), String::new())?;
    line("all workers' time".to_owned(), phase.available(), String::new())
}
