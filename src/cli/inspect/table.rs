//! The report as tables.

use std::fmt::{Result, Write};

use super::{Report, elements};

pub(super) fn text(report: &Report<'_>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(report, &mut out);
    out
}

fn write(report: &Report<'_>, out: &mut String) -> Result {
    writeln!(out, "architecture: {}", report.architecture().map_or("not stated".to_owned(), shown))?;
    let metadata = report.gguf.metadata();
    writeln!(out, "\nmetadata ({}):", metadata.len())?;
    for (key, value) in metadata.iter() {
        writeln!(out, "  {} = {value}", shown(key))?;
    }
    tensors(report, out)?;
    types(report, out)?;
    memory(report, out)
}

fn tensors(report: &Report<'_>, out: &mut String) -> Result {
    let name_width = report.gguf.tensors().map(|t| t.name().chars().count()).max().unwrap_or(0).max(4);
    writeln!(out, "\ntensors ({}):", report.gguf.tensor_count())?;
    let head = ["type", "shape", "offset", "bytes", "role", "residency", "reason"];
    let mut line = |name: &str, cells: [&str; 7]| {
        let [kind, shape, offset, bytes, role, residency, reason] = cells;
        let row = format!(
            "  {name:<name_width$}  {kind:<7} {shape:>16} {offset:>12} {bytes:>12}  {role:<14} {residency:<13} {reason}"
        );
        writeln!(out, "{}", row.trim_end())
    };
    line("name", head)?;
    for tensor in report.gguf.tensors() {
        let [role, residency, reason] = report.fate(&tensor).map(Option::unwrap_or_default);
        let shape = tensor.shape().iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
        let (offset, bytes) = (tensor.offset().to_string(), tensor.bytes().to_string());
        let kind = tensor.tensor_type().name();
        line(&shown(tensor.name()), [kind, &shape, &offset, &bytes, role, residency, reason])?;
    }
    Ok(())
}

/// How many tensors, elements and bytes each type has, the largest first.
fn types(report: &Report<'_>, out: &mut String) -> Result {
    let mut types: Vec<(&str, usize, u64, u64)> = Vec::new();
    for tensor in report.gguf.tensors() {
        let name = tensor.tensor_type().name();
        let at = types.iter().position(|t| t.0 == name).unwrap_or_else(|| {
            types.push((name, 0, 0, 0));
            types.len() - 1
        });
        types[at].1 += 1;
        types[at].2 = types[at].2.saturating_add(elements(&tensor));
        types[at].3 += tensor.bytes();
    }
    types.sort_by_key(|t| std::cmp::Reverse(t.3));
    writeln!(out, "\ntypes:")?;
    for (name, tensors, elements, bytes) in types {
        writeln!(out, "  {name:<7} {tensors:>5} tensors {elements:>14} elements {:>12}", mib(bytes))?;
    }
    Ok(())
}

fn memory(report: &Report<'_>, out: &mut String) -> Result {
    let Some(memory) = report.memory() else { return Ok(()) };
    writeln!(out, "\nmemory:")?;
    writeln!(out, "  weights {:>16}", mib(memory.weights))?;
    let kv = memory.kv.map_or("more than fits".to_owned(), mib);
    writeln!(out, "  kv      {kv:>16} for the whole context of {} tokens", memory.context)?;
    writeln!(out, "  arena   {:>16} at most, for {} rows at once", mib(memory.arena), crate::cli::model::ROWS)
}

fn mib(bytes: u64) -> String {
    format!("{:.2} MiB", bytes as f64 / (1 << 20) as f64)
}

/// A file's text without what a terminal would act on.
fn shown(text: &str) -> String {
    text.chars().map(vt_gguf::printable).collect()
}
