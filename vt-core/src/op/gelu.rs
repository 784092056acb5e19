//! The GELU activation.

use super::activation::activation;

activation! {
    /// `out = 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))` (Hendrycks and Gimpel, 2016): the tanh form.
    ///
    /// | operand | shape | type |
    /// |---|---|---|
    /// | `x` | `[.., D]` | f32 |
    /// | out | as `x` | f32 |
    "gelu": Gelu("x")
}
