//! A golden's `manifest.json`: what a case is, without its data.

use serde_json::{Map, Value, json};
use vt_core::op::{AnyCase, Attr, Operand, Outs, Tolerance, ValueType};
use vt_core::{Desc, Dim, StateSpec};

/// The manifest of a case, a line an entry.
pub(super) fn text(case: &AnyCase) -> Result<String, String> {
    let types = types(case);
    let outs = case.op.infer(&types.iter().collect::<Vec<_>>()).map_err(|e| e.to_string())?;
    let outputs = output_names(&outs).into_iter().zip(&outs).map(|(name, ty)| operand(&name, ty, None));
    let lines = [
        ("op", json!(case.op.name())),
        ("attributes", attributes(case)),
        ("sizes", json!({ "T": case.sizes.t, "R": case.sizes.r })),
        ("spans", spans(case)),
        ("inputs", Value::Array(inputs(case, &types))),
        ("outputs", Value::Array(outputs.collect())),
        ("tolerance", tolerance(case.op.tolerance())),
    ];
    let lines: Vec<String> = lines.iter().map(|(key, value)| format!("  {}: {}", json!(key), layout(value))).collect();
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

/// The types of a case's inputs, with the symbols in their shapes.
pub(super) fn types(case: &AnyCase) -> Vec<ValueType> {
    let ty = |operand: &Operand| match operand {
        Operand::Tensor { desc, .. } => ValueType::Tensor(desc.clone()),
        Operand::State { spec, .. } => ValueType::State(*spec),
    };
    case.inputs.iter().map(ty).collect()
}

/// The names of outputs in files: `out`, or `out0`, `out1`, .. of several.
pub(super) fn output_names(outs: &Outs) -> Vec<String> {
    match outs.len() {
        1 => vec!["out".to_owned()],
        n => (0..n).map(|i| format!("out{i}")).collect(),
    }
}

fn attributes(case: &AnyCase) -> Value {
    let value = |attr: &Attr| match attr {
        Attr::Int(n) => json!(n),
        Attr::Float(x) => json!(x),
        Attr::Text(s) => json!(s),
    };
    Value::Object(case.op.attrs().0.iter().map(|(name, attr)| ((*name).to_owned(), value(attr))).collect())
}

fn spans(case: &AnyCase) -> Value {
    let span = |s: &vt_core::plan::Span| json!({ "sequence": s.sequence, "position": s.position, "rows": s.rows });
    case.spans.iter().map(span).collect()
}

fn inputs(case: &AnyCase, types: &[ValueType]) -> Vec<Value> {
    let names = case.op.input_names();
    let filled = |operand: &Operand| match operand {
        Operand::State { filled, .. } => Some(filled.clone()),
        Operand::Tensor { .. } => None,
    };
    let list = case.inputs.iter().zip(types).zip(names);
    list.map(|((input, ty), name)| operand(name, ty, filled(input))).collect()
}

fn operand(name: &str, ty: &ValueType, filled: Option<Vec<usize>>) -> Value {
    let mut entry = match ty {
        ValueType::Tensor(desc) => tensor(desc),
        ValueType::State(spec) => state(spec),
    };
    entry.insert("name".to_owned(), json!(name));
    if let Some(filled) = filled {
        entry.insert("filled".to_owned(), json!(filled));
    }
    Value::Object(entry)
}

fn tensor(desc: &Desc) -> Map<String, Value> {
    let dim = |d: &Dim| match d {
        Dim::Fixed(n) => json!(n),
        Dim::Sym(s) => json!(format!("{s:?}")),
    };
    object([("dtype", json!(desc.dtype.name())), ("shape", desc.shape.iter().map(dim).collect())])
}

fn state(spec: &StateSpec) -> Map<String, Value> {
    match *spec {
        StateSpec::KvRows { heads, key_dim, value_dim, key, value } => object([
            ("state", json!("kv_rows")),
            ("heads", json!(heads)),
            ("key_dim", json!(key_dim)),
            ("value_dim", json!(value_dim)),
            ("key", json!(key.name())),
            ("value", json!(value.name())),
        ]),
        StateSpec::LatentRows { key_dim, value_dim, dtype } => object([
            ("state", json!("latent_rows")),
            ("key_dim", json!(key_dim)),
            ("value_dim", json!(value_dim)),
            ("dtype", json!(dtype.name())),
        ]),
        StateSpec::Fixed { rows, cols } => {
            object([("state", json!("fixed")), ("rows", json!(rows)), ("cols", json!(cols))])
        }
        _ => object([("state", json!(spec.to_string()))]),
    }
}

fn tolerance(tolerance: Tolerance) -> Value {
    match tolerance {
        Tolerance::Exact => json!({ "kind": "exact" }),
        Tolerance::Close { absolute, relative } => {
            json!({ "kind": "close", "absolute": absolute, "relative": relative })
        }
        Tolerance::Nmse(limit) => json!({ "kind": "nmse", "limit": limit }),
    }
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A list of objects has a line an object; everything else is one line.
fn layout(value: &Value) -> String {
    match value {
        Value::Array(list) if !list.is_empty() => {
            let lines: Vec<String> = list.iter().map(|v| format!("    {v}")).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
        other => other.to_string(),
    }
}
