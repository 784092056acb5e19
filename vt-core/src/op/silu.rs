//! The SiLU activation.

use super::activation::activation;

activation! {
    /// `out = x / (1 + exp(-x))` (Elfwing, Uchibe and Doya, 2018).
    ///
    /// | operand | shape | type |
    /// |---|---|---|
    /// | `x` | `[.., D]` | f32 |
    /// | out | as `x` | f32 |
    "silu": Silu("x")
}
