//! The numbers of a model that most architectures share.

use vt_gguf::{Gguf, GgufError, Metadata, Strings};

use super::Weights;

/// What `{arch}.*` says of a decoder's sizes, checked for plausibility.
///
/// Files from some writers hold every key there is; a zero then means that the key is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Hparams {
    /// Tokens in the vocabulary.
    pub vocab: usize,
    /// The longest context that the model was made for.
    pub context: usize,
    /// Elements of a token's vector.
    pub dim: usize,
    /// Layers.
    pub layers: usize,
    /// Elements between the two matrices of a feed-forward layer.
    pub ff: usize,
    /// Query heads.
    pub heads: usize,
    /// Key/value heads; divides `heads`.
    pub kv_heads: usize,
    /// Elements of a query or key.
    pub key_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// The epsilon of the norms.
    pub eps: f32,
    /// The base of the rotary frequencies.
    pub rope_base: f32,
    /// The factor of the rotary frequencies: 1 over the linear scaling factor.
    pub rope_scale: f32,
    /// The elements of a head that are rotated.
    pub rot: usize,
}

const MAX_LAYERS: usize = 512;
/// Far above any model, and small enough that sizes made of two of them fit.
const MAX_SIZE: usize = 1 << 28;
/// Far above any model; tables of rotary factors are made of this size before the tensors are looked at.
const MAX_HEAD_DIM: usize = 1 << 16;

impl Hparams {
    /// Reads the keys; what is implausible is an error, what vt cannot compute a problem noted in `weights`.
    ///
    /// # Errors
    /// A key that is missing, of another type, or implausible.
    pub fn read(gguf: &Gguf, weights: &Weights<'_>) -> Result<Self, GgufError> {
        let meta = gguf.metadata().arch()?;
        refuse_keys(meta, weights)?;
        let size = |key, least| positive(meta, key, least);
        let layers = meta.usize("block_count")?;
        if !(1..=MAX_LAYERS).contains(&layers) {
            return Err(meta.implausible("block_count", format!("1 to {MAX_LAYERS} layers")));
        }
        let dim = size("embedding_length", 1)?;
        let heads =
            uniform(meta, "attention.head_count", layers)?.ok_or_else(|| missing(meta, "attention.head_count"))?;
        let kv_heads = uniform(meta, "attention.head_count_kv", layers)?.unwrap_or(heads);
        if heads > MAX_SIZE || !heads.is_multiple_of(kv_heads) {
            return Err(meta.implausible("attention.head_count_kv", format!("a divisor of {heads} heads")));
        }
        let head_dim = |key| match optional_size(meta, key)?.unwrap_or(dim / heads) {
            size @ 1..=MAX_HEAD_DIM => Ok(size),
            _ => Err(meta.implausible(key, format!("heads of 1 to {MAX_HEAD_DIM} elements"))),
        };
        let (key_dim, value_dim) = (head_dim("attention.key_length")?, head_dim("attention.value_length")?);
        let rot = optional_size(meta, "rope.dimension_count")?.unwrap_or(key_dim);
        if rot > key_dim || !rot.is_multiple_of(2) {
            return Err(meta.implausible("rope.dimension_count", format!("an even number up to {key_dim}")));
        }
        Ok(Self {
            vocab: vocabulary(gguf, meta)?,
            context: size("context_length", 1)?,
            dim,
            layers,
            ff: uniform(meta, "feed_forward_length", layers)?.ok_or_else(|| missing(meta, "feed_forward_length"))?,
            heads,
            kv_heads,
            key_dim,
            value_dim,
            eps: epsilon(meta)?,
            rope_base: optional_float(meta, "rope.freq_base")?.unwrap_or(10_000.0),
            rope_scale: rope_scale(meta, weights)?,
            rot,
        })
    }
}

/// Numbers that change what a model computes in ways that vt does not have; 0 is as good as absent.
const FOREIGN_NUMBERS: [&str; 6] = [
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "logit_scale",
    "residual_scale",
    "embedding_scale",
];

/// Notes the keys that tell of something vt does not compute.
fn refuse_keys(meta: Metadata<'_>, weights: &Weights<'_>) -> Result<(), GgufError> {
    for key in FOREIGN_NUMBERS {
        if let Some(found) = meta.optional::<f32>(key)?.filter(|x| *x != 0.0) {
            weights.problem(format!("key `{key}`: expected 0 or none, found {found}"));
        }
    }
    if let Some(experts) = meta.optional::<usize>("expert_count")?.filter(|n| *n > 0) {
        weights.problem(format!("key `expert_count`: vt cannot compute mixtures of experts, found {experts}"));
    }
    if meta.optional::<bool>("use_parallel_residual")? == Some(true) {
        weights.problem("key `use_parallel_residual`: expected false, found true");
    }
    if meta.optional::<bool>("attention.causal")? == Some(false) {
        weights.problem("key `attention.causal`: expected true, found false");
    }
    Ok(())
}

fn missing(meta: Metadata<'_>, key: &str) -> GgufError {
    meta.implausible(key, "a positive number")
}

fn positive(meta: Metadata<'_>, key: &str, least: usize) -> Result<usize, GgufError> {
    let value = meta.usize(key)?;
    if (least..=MAX_SIZE).contains(&value) {
        return Ok(value);
    }
    Err(meta.implausible(key, format!("a number from {least} to {MAX_SIZE}")))
}

fn optional_size(meta: Metadata<'_>, key: &str) -> Result<Option<usize>, GgufError> {
    match meta.optional::<usize>(key)? {
        None | Some(0) => Ok(None),
        Some(n) if n <= MAX_SIZE => Ok(Some(n)),
        Some(_) => Err(meta.implausible(key, format!("a number up to {MAX_SIZE}"))),
    }
}

fn optional_float(meta: Metadata<'_>, key: &str) -> Result<Option<f32>, GgufError> {
    match meta.optional::<f32>(key)? {
        None | Some(0.0) => Ok(None),
        Some(x) if x.is_finite() && x > 0.0 => Ok(Some(x)),
        Some(_) => Err(meta.implausible(key, "a finite positive number")),
    }
}

/// 1 over a factor.
fn inverse(meta: Metadata<'_>, key: &str) -> Result<Option<f32>, GgufError> {
    match optional_float(meta, key)?.map(|factor| 1.0 / factor) {
        Some(inverse) if inverse.is_infinite() => Err(meta.implausible(key, "a number whose inverse is finite")),
        inverse => Ok(inverse),
    }
}

/// A number that is the same in all layers.
fn uniform(meta: Metadata<'_>, key: &str, layers: usize) -> Result<Option<usize>, GgufError> {
    let Some(values) = meta.per_layer::<usize>(key, layers)? else { return Ok(None) };
    match values.split_first() {
        Some((first, rest)) if (1..=MAX_SIZE).contains(first) && rest.iter().all(|v| v == first) => Ok(Some(*first)),
        _ => Err(meta.implausible(key, "one positive number for all layers")),
    }
}

fn epsilon(meta: Metadata<'_>) -> Result<f32, GgufError> {
    const KEY: &str = "attention.layer_norm_rms_epsilon";
    let eps = meta.f32(KEY)?;
    if eps.is_finite() && eps > 0.0 { Ok(eps) } else { Err(meta.implausible(KEY, "a finite positive number")) }
}

/// The file's tokens; a file without them says how many there are, or its embedding table does.
fn vocabulary(gguf: &Gguf, meta: Metadata<'_>) -> Result<usize, GgufError> {
    if let Some(tokens) = gguf.metadata().optional::<Strings<'_>>("tokenizer.ggml.tokens")? {
        return Ok(tokens.count());
    }
    if let Some(vocab) = optional_size(meta, "vocab_size")? {
        return Ok(vocab);
    }
    let table = gguf.info("token_embd.weight").and_then(|t| t.shape().first().copied());
    table.ok_or_else(|| meta.implausible("vocab_size", "the number of tokens"))
}

fn rope_scale(meta: Metadata<'_>, weights: &Weights<'_>) -> Result<f32, GgufError> {
    let inverse = match inverse(meta, "rope.scaling.factor")? {
        None => inverse(meta, "rope.scale_linear")?,
        some => some,
    };
    let kind = meta.optional::<&str>("rope.scaling.type")?.unwrap_or("linear");
    match (kind, inverse) {
        ("none", _) | ("linear" | "yarn", None) => Ok(1.0),
        ("linear", Some(inverse)) => Ok(inverse),
        (other, _) => {
            weights.problem(format!("key `rope.scaling.type`: vt has no rotary scaling of the kind `{other}`"));
            Ok(1.0)
        }
    }
}
