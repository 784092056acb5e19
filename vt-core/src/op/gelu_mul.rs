//! The gate of a GeGLU feed-forward layer.

use super::activation::activation;

activation! {
    /// `out = gelu(gate) * up` (Shazeer, "GLU Variants Improve Transformer", 2020), with gelu rounded before it is
    /// multiplied.
    ///
    /// | operand | shape | type |
    /// |---|---|---|
    /// | `gate` | `[.., D]` | f32 |
    /// | `up` | as `gate` | f32 |
    /// | out | as `gate` | f32 |
    "gelu_mul": GeluMul("gate", "up")
}
