//! The logistic function.

use super::activation::activation;

activation! {
    /// `out = 1 / (1 + exp(-x))`.
    ///
    /// | operand | shape | type |
    /// |---|---|---|
    /// | `x` | `[.., D]` | f32 |
    /// | out | as `x` | f32 |
    "sigmoid": Sigmoid("x")
}
