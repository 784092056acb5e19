//! What the format's specification asks beyond what the reader needs, and what llama.cpp asks beyond that.

use std::fs;
use std::path::Path;

use vt_gguf::{Gguf, Metadata, TensorInfo, Value};

use super::finding::{Findings, shown};

/// Tensors' bytes are aligned to this many where the file does not say.
const ALIGNMENT: u64 = 32;
/// llama.cpp's longest name.
const LONGEST_NAME: usize = 63;

/// Validates the files of a set.
pub(super) fn validate(gguf: &Gguf, findings: &mut Findings) {
    for (number, path) in gguf.files().enumerate() {
        let Some(metadata) = gguf.metadata_of(number) else { continue };
        let alignment = alignment(metadata);
        if !alignment.is_multiple_of(8) {
            findings.warning(format!("metadata key `general.alignment`: {alignment} is no multiple of 8"));
        }
        entries(metadata, number, findings);
        packing(gguf, number, alignment, path, findings);
    }
    names(gguf, findings);
}

fn alignment(metadata: Metadata<'_>) -> u64 {
    metadata.optional("general.alignment").ok().flatten().unwrap_or(ALIGNMENT)
}

fn entries(metadata: Metadata<'_>, number: usize, findings: &mut Findings) {
    let all = || metadata.iter().map(|(key, value)| (key, shown(key.as_bytes()), value));
    let spelled = all().filter(|(key, ..)| !key.bytes().all(is_key_byte));
    findings.warnings(
        "keys are not lower-case words with dots",
        spelled.map(|(_, key, _)| format!("metadata key `{key}`: expected lower-case ASCII words with dots")),
    );
    let text = all().filter(|(_, _, value)| matches!(value, Value::String(v) if std::str::from_utf8(v).is_err()));
    findings.warnings(
        "texts are not UTF-8",
        text.map(|(_, key, _)| format!("metadata key `{key}`: expected a string of UTF-8, found other bytes")),
    );
    let beside = all().filter(|(key, ..)| number > 0 && !key.starts_with("split.") && *key != "general.alignment");
    findings.warnings(
        "keys of other files than the first are ignored",
        beside.map(|(_, key, _)| format!("metadata key `{key}` of file {}: only the first file's counts", number + 1)),
    );
}

/// Names of architectures have hyphens.
fn is_key_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-')
}

fn names(gguf: &Gguf, findings: &mut Findings) {
    let named =
        |what: &'static str| move |t: TensorInfo<'_>| format!("tensor `{}`: {what}", shown(t.name().as_bytes()));
    let long = gguf.tensors().filter(|tensor| tensor.name().len() > LONGEST_NAME);
    findings.warnings("names are as long", long.map(named("llama.cpp takes names of at most 63 bytes")));
    let empty = gguf.tensors().filter(|tensor| tensor.bytes() == 0);
    findings.warnings("tensors have no elements", empty.map(named("it has no elements")));
}

/// llama.cpp takes tensors only in the order of their infos and without gaps. What is behind the last one may belong to
/// a longer file.
fn packing(gguf: &Gguf, number: usize, alignment: u64, path: &str, findings: &mut Findings) {
    let tensors = || gguf.tensors().filter(move |tensor| tensor.shard() == number);
    let padded = |tensor: &TensorInfo<'_>| (tensor.offset() + tensor.bytes()).next_multiple_of(alignment);
    let next = tensors().skip(1);
    if let Some((_, strange)) = tensors().zip(next).find(|(before, after)| padded(before) != after.offset()) {
        let name = shown(strange.name().as_bytes());
        findings.warning(format!(
            "tensor `{name}` at byte {}: it does not follow the tensor before it, as llama.cpp wants",
            strange.offset()
        ));
    }
    let Some(end) = tensors().map(|tensor| padded(&tensor)).max() else { return };
    let length = fs::metadata(Path::new(path)).map_or(0, |data| data.len());
    if length > end {
        findings.warning(format!("{} bytes behind the last tensor at byte {end}: nothing uses them", length - end));
    }
}
