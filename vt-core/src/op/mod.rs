//! Ops: what they take, what they give, and examples of them. One file an op.

mod activation;
mod attrs;
pub mod case;
pub(crate) mod contract;
mod cost;
mod data;
mod elementwise;
mod infer;
mod quantized;
mod spans;
mod spec;

pub use attrs::{Attr, Attrs};
pub use case::{AnyCase, Case, Fill, Operand};
pub use cost::{Arithmetic, Cost, Workload};
pub use delta_rule::KeyHeads;
pub use infer::{Inputs, Outs, ValueType, one};
pub use quantized::{Producer, Quantized};
pub use rope::RopeStyle;
pub use route::Scoring;
pub use spec::{AnyOp, ArcOp, Op, OpEntry, Tolerance};

/// The list of ops: a line declares the module, exports the type and enters it in [`entries`].
macro_rules! ops {
    ($($module:ident: $op:ident,)*) => {
        $(mod $module; pub use $module::$op;)*

        /// The entries of all ops of this crate.
        pub fn entries() -> Vec<OpEntry> {
            vec![$(OpEntry::of::<$op>(),)*]
        }
    };
}

ops! {
    add: Add,
    add_expert_bias: AddExpertBias,
    attend: Attend,
    causal_conv: CausalConv,
    clamped_swiglu: ClampedSwiglu,
    concat_heads: ConcatHeads,
    decay: Decay,
    delta_rule: DeltaRule,
    dequantize: Dequantize,
    embed: Embed,
    gate_rows: GateRows,
    gelu: Gelu,
    gelu_mul: GeluMul,
    gelu_mul_quantize: GeluMulQuantize,
    kv_append: KvAppend,
    l2_norm: L2Norm,
    latent_append: LatentAppend,
    matmul_bt: MatmulBt,
    matmul_bt_quant: MatmulBtQuant,
    matmul_experts: MatmulExperts,
    matmul_heads: MatmulHeads,
    matmul_heads_quant: MatmulHeadsQuant,
    mul: Mul,
    quantize: Quantize,
    rms_norm: RmsNorm,
    rms_norm_quantize: RmsNormQuantize,
    rope: Rope,
    route: Route,
    scale: Scale,
    sigmoid: Sigmoid,
    silu: Silu,
    silu_mul: SiluMul,
    silu_mul_quantize: SiluMulQuantize,
    softcap: Softcap,
    take_cols: TakeCols,
    take_rows: TakeRows,
    weighted_sum: WeightedSum,
}
