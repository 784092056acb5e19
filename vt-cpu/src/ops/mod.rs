//! The kernels of each op: one file an op.

mod elementwise;
mod quantized;
mod runs;
mod share;
mod tier;
mod weights;

use vt_core::kernel::KernelError;
use vt_core::registry::Builder;

#[cfg(target_arch = "x86_64")]
use crate::arch::Avx512Bf16;
pub(crate) use tier::Tier;
use tier::{BlockTier, FloatTiles};

/// An id that an input holds in its row `row`, checked against its limit.
fn index(input: &'static str, row: usize, id: i32, limit: usize) -> Result<usize, KernelError> {
    let error = KernelError::Id { input, row, id: id.into(), limit };
    usize::try_from(id).ok().filter(|id| *id < limit).ok_or(error)
}

/// Registers the kernels of bf16 weights that multiply pairs.
#[cfg(target_arch = "x86_64")]
pub(crate) fn register_pairs(builder: &mut Builder, isa: Avx512Bf16) {
    matmul_bt::register_pairs(builder, isa);
    matmul_experts::register_pairs(builder, isa);
}

/// Registers the kernels of weights in blocks, of a tier that multiplies bytes better than the one that it extends.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn register_blocks<T: BlockTier>(builder: &mut Builder, tier: T) {
    matmul_bt_quant::register(builder, tier);
    matmul_experts::register_blocks(builder, tier);
    matmul_heads_quant::register(builder, tier);
}

/// The list of ops: a line declares the module, whose `register` enters the op's kernels of a tier.
macro_rules! ops {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// Registers the kernels of a tier.
        pub(crate) fn register<T: Tier>(builder: &mut Builder, tier: T) {
            $($module::register(builder, tier);)*
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
    gelu_mul,
    gelu_mul_quantize,
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
    rms_norm_quantize,
    rope,
    route,
    scale,
    sigmoid,
    silu,
    silu_mul,
    silu_mul_quantize,
    softcap,
    take_cols,
    take_rows,
    weighted_sum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_below_its_limit() {
        assert_eq!(index("ids", 0, 6, 7).unwrap(), 6);
        for id in [7, 8, -1, i32::MIN] {
            let error = index("ids", 3, id, 7).unwrap_err();
            let KernelError::Id { input: "ids", row: 3, id: found, limit: 7 } = error else { panic!("{error}") };
            assert_eq!(found, i64::from(id));
        }
    }
}
