//! Heads side by side.

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError, Sym};

/// `out[t, h] = (a[t, h], b[t, h])`, for each head `h` of a row; or `(a[t, h], b[t])` where all share one head of `b`.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `a` | `[T, H * a_dim]` | f32 |
/// | `b` | `[T, H * b_dim]`, or `[T, b_dim]` if shared | f32 |
/// | out | `[T, H * (a_dim + b_dim)]` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct ConcatHeads {
    /// Elements of a head of `a`: positive.
    pub a_dim: usize,
    /// Elements of a head of `b`.
    pub b_dim: usize,
    /// Whether `b` has one head for all.
    pub shared: bool,
}

impl Op for ConcatHeads {
    const NAME: &'static str = "concat_heads";
    const INPUTS: &'static [&'static str] = &["a", "b"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let Self { a_dim, b_dim, shared } = *self;
        inputs.want_attribute(a_dim > 0, "a_dim", "a positive number", a_dim)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs.want(cols.is_multiple_of(a_dim), 0, || format!("rows of heads of {a_dim}"))?;
        let heads = cols / a_dim;
        let (b_rows, b_cols) = inputs.matrix(1, DType::F32)?;
        let b_heads = if shared { 1 } else { heads };
        let fits = b_rows == rows && b_heads.checked_mul(b_dim) == Some(b_cols);
        inputs.want(fits, 1, || format!("{rows} rows of {b_heads} x {b_dim}"))?;
        let cols = heads.checked_mul(b_dim).and_then(|b| b.checked_add(cols));
        let cols = cols.ok_or_else(|| inputs.attribute("b_dim", "rows that fit in memory", b_dim))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().int("a_dim", self.a_dim).int("b_dim", self.b_dim).int("shared", usize::from(self.shared))
    }

    fn cases() -> Vec<Case<Self>> {
        let shapes = [
            (0, 2, 4, 4, false),
            (1, 1, 1, 1, false),
            (1, 1, 32, 8, true),
            (1, 4, 32, 16, false),
            (1, 4, 32, 16, true),
            (2, 3, 5, 2, false),
            (2, 3, 5, 2, true),
            (3, 0, 4, 6, false),
            (3, 2, 6, 0, false),
            (17, 2, 16, 8, false),
            (17, 5, 12, 20, true),
            (33, 8, 4, 8, true),
        ];
        shapes
            .into_iter()
            .map(|(t, heads, a_dim, b_dim, shared)| case(t, heads, Self { a_dim, b_dim, shared }))
            .collect()
    }

    fn benches() -> Vec<Case<Self>> {
        [1, 512].map(|t| case(t, 16, Self { a_dim: 512, b_dim: 64, shared: false })).into()
    }
}

fn case(t: usize, heads: usize, op: ConcatHeads) -> Case<ConcatHeads> {
    let ConcatHeads { a_dim, b_dim, shared } = op;
    let rows = |cols| Operand::tensor(Desc::rows(DType::F32, Sym::T, cols), Fill::Normal(1.0));
    let inputs = vec![rows(heads * a_dim), rows(if shared { b_dim } else { heads * b_dim })];
    Case::new(format!("t{t}-h{heads}-d{a_dim}-{b_dim}{}", if shared { "-shared" } else { "" }), op, t, inputs)
}
