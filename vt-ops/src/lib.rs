//! The ops of vt as functions, for graphs and for eager contexts: the API that models are written against.
//!
//! Each function records one op on a [`Recorder`](vt_core::Recorder) and gives its output. On a
//! [`Graph`](vt_core::Graph) nothing is computed until the graph is planned and run; an
//! [`Eager`](vt_core::plan::Eager) context computes at once.

#![forbid(unsafe_code)]

mod call;
mod gated;
mod quantized;

use vt_core::registry::Builder;

/// The list of op functions: a line declares the module and exports the function; `: register` also enters its
/// decomposition and fusions.
macro_rules! ops {
    ($($module:ident $(: $register:ident)?,)*) => {
        $(mod $module; pub use $module::$module;)*

        /// Registers the decompositions and fusions of the ops: `Registry::builder().with(vt_ops::register)`.
        pub fn register(builder: &mut Builder) {
            $($($module::$register(builder);)?)*
        }
    };
}

ops! {
    add,
    add_expert_bias,
    attend,
    causal_conv,
    clamped_swiglu,
    concat_heads,
    decay,
    delta_rule,
    dequantize,
    embed,
    gate_rows,
    gelu,
    gelu_mul: register,
    gelu_mul_quantize: register,
    kv_append,
    l2_norm,
    latent_append,
    matmul_bt,
    matmul_bt_quant,
    matmul_experts,
    matmul_heads,
    matmul_heads_quant,
    mul,
    quantize,
    rms_norm,
    rms_norm_quantize: register,
    rope,
    route,
    scale,
    sigmoid,
    silu,
    silu_mul: register,
    silu_mul_quantize: register,
    softcap,
    take_cols,
    take_rows,
    weighted_sum,
}
