//! The gate of a GeGLU feed-forward layer, quantized.

use super::elementwise::example_alike;
use super::quantized::{Producer, Quantized};
use super::{Fill, GeluMul, Operand};

/// [`GeluMul`] in activation blocks ([`Quantized`]).
pub type GeluMulQuantize = Quantized<GeluMul>;

impl Producer for GeluMul {
    const QUANTIZED: &'static str = "gelu_mul_quantize";

    fn example(k: usize, fill: Fill) -> (Self, Vec<Operand>) {
        example_alike(k, fill)
    }
}
