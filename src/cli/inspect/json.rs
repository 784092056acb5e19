//! The report as JSON.

use serde_json::{Map, Value, json};
use vt_gguf::{Array, TensorInfo, Value as Stated};

use super::Report;
use crate::cli::json_text;

/// Longer arrays are described.
const LONGEST: usize = 64;

pub(super) fn text(report: &Report<'_>) -> String {
    let tensors: Vec<Value> = report.gguf.tensors().map(|tensor| entry(report, &tensor)).collect();
    let memory = report.memory();
    json_text::lines(&json!({
        "arch": report.architecture(),
        "metadata": report.gguf.metadata().iter().map(|(key, v)| (key.to_owned(), value(v))).collect::<Map<_, _>>(),
        "tensors": tensors,
        "memory": {
            "weights": memory.as_ref().map(|m| m.weights),
            "kv": memory.as_ref().and_then(|m| m.kv),
            "arena": memory.as_ref().map(|m| m.arena),
        },
    }))
}

fn entry(report: &Report<'_>, tensor: &TensorInfo<'_>) -> Value {
    let [role, residency, reason] = report.fate(tensor);
    json!({
        "name": tensor.name(),
        "type": tensor.tensor_type().name(),
        "shape": tensor.shape(),
        "offset": tensor.offset(),
        "bytes": tensor.bytes(),
        "role": role,
        "residency": residency,
        "reason": reason,
    })
}

fn value(stated: Stated<'_>) -> Value {
    match stated {
        Stated::F32(v) => json!(v),
        Stated::F64(v) => json!(v),
        Stated::Bool(v) => json!(v),
        Stated::String(v) => json!(String::from_utf8_lossy(v)),
        Stated::Array(v) => array(v),
        // Integers of at most 64 bits.
        integer => integer.as_int().map_or(Value::Null, |v| json!(v)),
    }
}

fn array(array: Array<'_>) -> Value {
    if array.len() > LONGEST {
        return json!({ "array": array.elem_type().name(), "len": array.len() });
    }
    array.iter().map(value).collect()
}
