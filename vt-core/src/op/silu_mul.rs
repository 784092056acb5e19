//! The gate of a SwiGLU feed-forward layer.

use super::activation::activation;

activation! {
    /// `out = silu(gate) * up` (Shazeer, "GLU Variants Improve Transformer", 2020), with silu rounded before it is
    /// multiplied.
    ///
    /// | operand | shape | type |
    /// |---|---|---|
    /// | `gate` | `[.., D]` | f32 |
    /// | `up` | as `gate` | f32 |
    /// | out | as `gate` | f32 |
    "silu_mul": SiluMul("gate", "up")
}
