//! Where a tensor lives: in the file's blocks, or decoded.

use std::borrow::Cow;

use vt_core::DType;

use crate::config::Config;
use crate::tensor_type::TensorType;

/// What a model does with a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The weight of a matrix multiplication, `[N, K]`.
    MatmulWeight,
    /// The weights of all experts, `[E, N, K]`.
    ExpertWeight,
    /// A table in which rows are looked up, `[V, K]`.
    Embedding,
    /// A table in which rows are looked up, and which is also the head's weight.
    TiedEmbedding,
    /// A norm's weight, a bias, or another small tensor that ops read as f32.
    Vector,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 5] =
        [Role::MatmulWeight, Role::ExpertWeight, Role::Embedding, Role::TiedEmbedding, Role::Vector];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Role::MatmulWeight => "matmul",
            Role::ExpertWeight => "experts",
            Role::Embedding => "embedding",
            Role::TiedEmbedding => "tied embedding",
            Role::Vector => "vector",
        }
    }
}

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Residency {
    /// In the map, as the file has it.
    Keep,
    /// In memory of its own, decoded to f32 when the model is loaded.
    DecodeToF32,
    /// Nowhere: the model cannot be loaded.
    Refuse,
}

impl Residency {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Residency::Keep => "keep",
            Residency::DecodeToF32 => "decode to f32",
            Residency::Refuse => "refuse",
        }
    }
}

/// A tensor's residency, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where the tensor lives.
    pub residency: Residency,
    /// Why, in a few words.
    pub reason: Cow<'static, str>,
}

/// What residency depends on beside the tensor.
#[derive(Clone, Copy)]
pub struct Policy<'a> {
    /// The user's switches.
    pub config: Config,
    /// Whether the device multiplies weights of a type with rows of that many elements, or why not.
    pub can_multiply: &'a dyn Fn(DType, usize) -> Result<(), String>,
    /// Whether the device looks up rows in tables of a type, or why not.
    pub can_embed: &'a dyn Fn(DType) -> Result<(), String>,
}

/// Where a tensor of that role, type and shape (the fastest dimension last) lives.
///
/// Weights stay as the file has them wherever the device computes in their type. `VT_CPU_REF=1` decodes everything,
/// `VT_GGUF_KEEP_QUANT=0` decodes blocks.
pub fn residency(policy: &Policy<'_>, role: Role, tensor_type: TensorType, shape: &[usize]) -> Decision {
    let (dtype, layout) = match classify(tensor_type) {
        Ok(known) => known,
        Err(reason) => return Decision { residency: Residency::Refuse, reason },
    };
    if layout == Layout::F32 {
        return keep("f32 in the file");
    }
    let reason = switched_off(policy.config, layout).or_else(|| not_consumed(policy, role, dtype, shape));
    match reason {
        Some(reason) => Decision { residency: Residency::DecodeToF32, reason },
        None => keep("used as the file has it"),
    }
}

fn keep(reason: &'static str) -> Decision {
    Decision { residency: Residency::Keep, reason: reason.into() }
}

/// What residency depends on of a type that can be decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    F32,
    Half,
    Block,
}

/// The layout, or why there is no decoder.
fn classify(tensor_type: TensorType) -> Result<(DType, Layout), Cow<'static, str>> {
    let dtype = match tensor_type {
        TensorType::Known(dtype) => dtype,
        TensorType::Foreign(_) => return Err(format!("vt does not have the type {tensor_type}").into()),
    };
    let layout = match dtype {
        DType::F32 => Layout::F32,
        DType::F16 | DType::BF16 => Layout::Half,
        DType::Q4_0 | DType::Q4_1 | DType::Q5_0 | DType::Q5_1 | DType::Q8_0 => Layout::Block,
        DType::Q2K | DType::Q3K | DType::Q4K | DType::Q5K | DType::Q6K | DType::MXFP4 => Layout::Block,
        DType::F64 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            return Err(format!("weights cannot be {dtype}").into());
        }
        DType::Q8_1 | DType::Q8K => return Err(format!("{dtype} holds activations, not weights").into()),
        // The compiler wants this arm because vt-core may get new types. Until one is entered above, nothing is
        // known of it; a test over `DType::ALL` fails as soon as there is one.
        _ => return Err(format!("residency of {dtype} weights is not decided").into()),
    };
    Ok((dtype, layout))
}

/// Which of the user's switches wants the tensor decoded.
fn switched_off(config: Config, layout: Layout) -> Option<Cow<'static, str>> {
    if config.cpu_ref {
        return Some("VT_CPU_REF=1".into());
    }
    (layout == Layout::Block && !config.keep_quant).then(|| "VT_GGUF_KEEP_QUANT=0".into())
}

/// Why no op takes the tensor as it is.
fn not_consumed(policy: &Policy<'_>, role: Role, dtype: DType, shape: &[usize]) -> Option<Cow<'static, str>> {
    let k = shape.last().copied().unwrap_or(1);
    let whole = || dtype.row_bytes(k).map(drop).map_err(|ragged| ragged.to_string());
    let multiplied = || (policy.can_multiply)(dtype, k);
    let embedded = || (policy.can_embed)(dtype);
    let consumed = match role {
        Role::Vector => return Some("vectors are read as f32".into()),
        Role::MatmulWeight | Role::ExpertWeight => whole().and_then(|()| multiplied()),
        Role::Embedding => whole().and_then(|()| embedded()),
        Role::TiedEmbedding => whole().and_then(|()| embedded()).and_then(|()| multiplied()),
    };
    consumed.err().map(Cow::from)
}
