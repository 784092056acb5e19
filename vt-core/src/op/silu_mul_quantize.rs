//! The gate of a SwiGLU feed-forward layer, quantized.

use super::elementwise::example_alike;
use super::quantized::{Producer, Quantized};
use super::{Fill, Operand, SiluMul};

/// [`SiluMul`] in activation blocks ([`Quantized`]).
pub type SiluMulQuantize = Quantized<SiluMul>;

impl Producer for SiluMul {
    const QUANTIZED: &'static str = "silu_mul_quantize";

    fn example(k: usize, fill: Fill) -> (Self, Vec<Operand>) {
        example_alike(k, fill)
    }
}
