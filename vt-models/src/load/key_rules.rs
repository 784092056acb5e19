//! What the keys that describe a model must be, whatever its architecture: each one that is there has its type and a
//! plausible value.

use vt_gguf::{Array, Gguf, GgufError, Metadata, Value};

use crate::arch;

/// What a key's value must be.
#[derive(Clone, Copy)]
enum Rule {
    /// An integer in a range.
    Count(u64, u64),
    /// An integer in a range for all layers, or one for each.
    Layers(u64, u64),
    /// A finite number above 0; files of some writers hold every key, so 0 stands for none.
    Positive,
    /// A finite number above 0, and no 0.
    Epsilon,
    /// A finite number.
    Finite,
    /// Text.
    Text,
}

/// Far above any model.
const SIZE: u64 = 1 << 28;

/// The keys below `{architecture}.` (ggml's `docs/gguf.md`, and llama.cpp's names).
const RULES: &[(&str, Rule)] = &[
    ("block_count", Rule::Count(1, 512)),
    ("context_length", Rule::Count(1, SIZE)),
    ("embedding_length", Rule::Count(1, SIZE)),
    ("vocab_size", Rule::Count(0, SIZE)),
    ("feed_forward_length", Rule::Layers(0, SIZE)),
    ("expert_feed_forward_length", Rule::Count(0, SIZE)),
    ("expert_count", Rule::Count(0, 1024)),
    ("expert_used_count", Rule::Count(0, 1024)),
    ("attention.head_count", Rule::Layers(0, 1 << 16)),
    ("attention.head_count_kv", Rule::Layers(0, 1 << 16)),
    ("attention.key_length", Rule::Count(0, 1 << 16)),
    ("attention.value_length", Rule::Count(0, 1 << 16)),
    ("attention.layer_norm_rms_epsilon", Rule::Epsilon),
    ("attention.layer_norm_epsilon", Rule::Positive),
    ("attention.scale", Rule::Finite),
    ("attention.temperature_scale", Rule::Finite),
    ("attention.clamp_kqv", Rule::Finite),
    ("attention.max_alibi_bias", Rule::Finite),
    ("attn_logit_softcapping", Rule::Finite),
    ("final_logit_softcapping", Rule::Finite),
    ("logit_scale", Rule::Finite),
    ("residual_scale", Rule::Finite),
    ("embedding_scale", Rule::Finite),
    ("full_attention_interval", Rule::Count(0, 512)),
    ("nextn_predict_layers", Rule::Count(0, 512)),
    ("ssm.conv_kernel", Rule::Count(0, SIZE)),
    ("ssm.state_size", Rule::Count(0, SIZE)),
    ("ssm.group_count", Rule::Count(0, SIZE)),
    ("ssm.time_step_rank", Rule::Count(0, SIZE)),
    ("ssm.inner_size", Rule::Count(0, SIZE)),
    ("rope.dimension_count", Rule::Count(0, 1 << 16)),
    ("rope.freq_base", Rule::Positive),
    ("rope.scaling.factor", Rule::Positive),
    ("rope.scale_linear", Rule::Positive),
    ("rope.scaling.type", Rule::Text),
    ("rope.scaling.attn_factor", Rule::Positive),
    ("rope.scaling.yarn_beta_fast", Rule::Positive),
    ("rope.scaling.yarn_beta_slow", Rule::Positive),
    ("rope.scaling.original_context_length", Rule::Count(0, SIZE)),
];

/// The keys that every model has which vt computes.
const REQUIRED: [&str; 5] =
    ["block_count", "context_length", "embedding_length", "attention.head_count", "attention.layer_norm_rms_epsilon"];

/// Whether a file is meant to hold a model's tensors: it has tensors, and does not say that they are something else.
pub fn is_model(gguf: &Gguf) -> bool {
    let kind = gguf.metadata().optional::<&str>("general.type").ok().flatten();
    gguf.tensor_count() > 0 && kind.is_none_or(|kind| kind == "model")
}

/// Every key of the file's architecture that is not of its type, or whose value is not plausible; and those that are
/// missing, if the file holds a model and vt has the architecture. A file that names no architecture has no such keys.
pub fn key_faults(gguf: &Gguf) -> Vec<GgufError> {
    let Ok(architecture) = gguf.metadata().architecture() else { return Vec::new() };
    let metadata = gguf.metadata().scoped(architecture);
    let layers = metadata.optional::<usize>("block_count").ok().flatten();
    let mut faults: Vec<GgufError> =
        RULES.iter().filter_map(|(key, rule)| rule.check(metadata, key, layers).err()).collect();
    faults.extend(experts(metadata));
    let known = arch::names().any(|name| name == architecture);
    if known {
        faults.extend(heads(metadata));
    }
    if known && is_model(gguf) {
        let missing = REQUIRED.iter().filter(|key| metadata.get(key).is_none());
        faults.extend(missing.map(|key| metadata.implausible(key, "a value")));
    }
    faults
}

impl Rule {
    fn check(self, metadata: Metadata<'_>, key: &str, layers: Option<usize>) -> Result<(), GgufError> {
        match self {
            Rule::Count(least, most) => {
                let value = metadata.optional::<i64>(key)?;
                let outside = value.is_some_and(|v| !u64::try_from(v).is_ok_and(|v| (least..=most).contains(&v)));
                refuse(outside, metadata, key, || range(least, most))
            }
            Rule::Layers(least, most) => Self::check_layers(metadata, key, layers, least, most),
            Rule::Positive => check_number(metadata, key, "a finite number above 0", |v| v >= 0.0),
            Rule::Epsilon => check_number(metadata, key, "a finite number above 0", |v| v > 0.0),
            Rule::Finite => check_number(metadata, key, "a finite number", |_| true),
            Rule::Text => metadata.optional::<&str>(key).map(drop),
        }
    }

    fn check_layers(
        metadata: Metadata<'_>,
        key: &str,
        layers: Option<usize>,
        least: u64,
        most: u64,
    ) -> Result<(), GgufError> {
        let Some(Value::Array(array)) = metadata.get(key) else {
            return Rule::Count(least, most).check(metadata, key, layers);
        };
        let inside = |value: Value<'_>| {
            let value = value.as_int().and_then(|v| u64::try_from(v).ok());
            value.is_some_and(|v| (least..=most).contains(&v))
        };
        let outside = layers.is_some_and(|layers| array.len() != layers) || !array.iter().all(inside);
        refuse(outside, metadata, key, || {
            let layers = layers.map_or_else(|| "each layer".into(), |n| format!("each of {n} layers"));
            format!("for {layers} {}", range(least, most))
        })
    }
}

/// A number that is there is finite, and as it is `wanted`.
fn check_number(
    metadata: Metadata<'_>,
    key: &str,
    expected: &str,
    wanted: impl Fn(f32) -> bool,
) -> Result<(), GgufError> {
    let outside = metadata.optional::<f32>(key)?.is_some_and(|v| !v.is_finite() || !wanted(v));
    refuse(outside, metadata, key, || expected.into())
}

fn range(least: u64, most: u64) -> String {
    format!("a number from {least} to {most}")
}

fn refuse(outside: bool, metadata: Metadata<'_>, key: &str, expected: impl Fn() -> String) -> Result<(), GgufError> {
    if outside { Err(metadata.implausible(key, expected())) } else { Ok(()) }
}

/// No more experts are used than there are, and some if there are any.
fn experts(metadata: Metadata<'_>) -> Option<GgufError> {
    let number = |key| metadata.optional::<u64>(key).ok().flatten();
    let count = number("expert_count").unwrap_or(0);
    let least = u64::from(count > 0);
    let outside = number("expert_used_count").is_some_and(|used| !(least..=count).contains(&used));
    outside.then(|| metadata.implausible("expert_used_count", range(least, count)))
}

/// Attention divides by both numbers of heads.
fn heads(metadata: Metadata<'_>) -> Option<GgufError> {
    let all = |key| match metadata.get(key) {
        Some(Value::Array(array)) => numbers(array),
        Some(one) => one.as_int().into_iter().collect(),
        None => Vec::new(),
    };
    let (heads, kv_heads) = (all("attention.head_count"), all("attention.head_count_kv"));
    for (key, numbers) in [("attention.head_count", &heads), ("attention.head_count_kv", &kv_heads)] {
        if numbers.contains(&0) {
            return Some(metadata.implausible(key, "a number from 1 on"));
        }
    }
    let divided = |(heads, kv_heads): &(&i128, &i128)| *heads % *kv_heads != 0;
    let (heads, _) = heads.iter().zip(&kv_heads).find(divided)?;
    Some(metadata.implausible("attention.head_count_kv", format!("a divisor of {heads} heads")))
}

fn numbers(array: Array<'_>) -> Vec<i128> {
    // Of arrays longer than there can be layers the length is the fault.
    array.iter().take(512).filter_map(|value| value.as_int()).collect()
}
