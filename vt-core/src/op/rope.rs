//! Rotary position embedding.

use std::fmt;

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, one};
use crate::plan::Span;
use crate::{DType, Desc, Dim, OpError, Sym};

/// Which elements of a head are rotated together, of `rot` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RopeStyle {
    /// Neighbours: (2i, 2i + 1).
    Norm,
    /// Halves: (i, i + rot / 2).
    Neox,
}

impl RopeStyle {
    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            RopeStyle::Norm => "norm",
            RopeStyle::Neox => "neox",
        }
    }
}

impl fmt::Display for RopeStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Rotates pair `i` of the first `rot` elements of each head by `position * scale * base^(-2i / rot) / factors[i]`
/// (Su et al., RoFormer, 2021): `(u, v) -> magnitude (u cos - v sin, v cos + u sin)`. The other elements stay.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, H * head_dim]` | f32 |
/// | `positions` | `[T]`, not negative | i32 |
/// | `factors` | `[rot / 2]` | f32 |
/// | out | as `x` | f32 |
///
/// Angles are computed in f64, `magnitude` times their sine and cosine rounded once to f32.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Elements of a head.
    pub head_dim: usize,
    /// How many of them are rotated: even, at most `head_dim`.
    pub rot: usize,
    /// Which are paired.
    pub style: RopeStyle,
    /// The base of the frequencies: finite, positive.
    pub base: f32,
    /// A factor of every frequency (1 over the linear scaling factor): finite.
    pub scale: f32,
    /// How much longer rotated elements become (the attention factor of Peng et al., YaRN, 2023): finite.
    pub magnitude: f32,
}

impl Op for Rope {
    const NAME: &'static str = "rope";
    const INPUTS: &'static [&'static str] = &["x", "positions", "factors"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-6, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (dim, rot) = (self.head_dim, self.rot);
        inputs.want_attribute(dim > 0, "head_dim", "a positive number", dim)?;
        inputs.want_attribute(rot <= dim && rot.is_multiple_of(2), "rot", format_args!("even, at most {dim}"), rot)?;
        let positive = self.base.is_finite() && self.base > 0.0;
        inputs.want_attribute(positive, "base", "a finite positive number", self.base)?;
        inputs.want_attribute(self.scale.is_finite(), "scale", "a finite number", self.scale)?;
        inputs.want_attribute(self.magnitude.is_finite(), "magnitude", "a finite number", self.magnitude)?;
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        inputs.want(cols.is_multiple_of(dim), 0, || format!("rows of heads of {dim}"))?;
        inputs.want_index(1, rows)?;
        let [pairs] = inputs.dims(2, DType::F32)?;
        inputs.want(pairs == Dim::Fixed(rot / 2), 2, || format!("f32 [{}]", rot / 2))?;
        one(Desc::rows(DType::F32, rows, cols))
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
            .int("head_dim", self.head_dim)
            .int("rot", self.rot)
            .text("style", self.style.name())
            .float("base", self.base.into())
            .float("scale", self.scale.into())
            .float("magnitude", self.magnitude.into())
    }

    fn in_place(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        use RopeStyle::{Neox, Norm};
        let shapes = [
            (0, 1, 8, 8, Norm, 0),
            (1, 1, 2, 2, Norm, 5),
            (1, 2, 64, 64, Neox, 0),
            (1, 2, 64, 64, Norm, 1000),
            (2, 3, 16, 16, Neox, 7),
            (3, 1, 32, 8, Neox, 100),
            (3, 1, 32, 8, Norm, 100),
            (5, 2, 6, 4, Norm, 3),
            (17, 2, 16, 16, Norm, 30),
            (17, 1, 34, 34, Neox, 0),
            (2, 2, 24, 0, Neox, 9),
            (1, 1, 128, 128, Neox, 131_000),
            (2, 1, 20, 20, Norm, 1_000_000),
        ];
        let scaled = Rope { base: 1e6, scale: 0.25, ..plain(16, 16, Neox) };
        let longer = Rope { magnitude: 1.19, ..plain(20, 12, Norm) };
        shapes
            .into_iter()
            .map(|(t, h, dim, rot, style, from)| case(t, h, from, plain(dim, rot, style)))
            .chain([case(3, 2, 500, scaled), case(4, 2, 60, longer)])
            .collect()
    }

    fn benches() -> Vec<Case<Self>> {
        use RopeStyle::{Neox, Norm};
        [Norm, Neox].into_iter().flat_map(|style| [1, 512].map(|t| case(t, 32, 0, plain(128, 128, style)))).collect()
    }
}

fn plain(head_dim: usize, rot: usize, style: RopeStyle) -> Rope {
    Rope { head_dim, rot, style, base: 1e4, scale: 1.0, magnitude: 1.0 }
}

fn case(t: usize, heads: usize, from: usize, op: Rope) -> Case<Rope> {
    let name = format!("{}-t{t}-h{heads}-d{}-rot{}-from{from}", op.style, op.head_dim, op.rot);
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, heads * op.head_dim), Fill::Normal(1.0));
    let positions = Operand::tensor(Desc::new(DType::I32, [Sym::T]), Fill::Positions);
    let factors = Operand::tensor(Desc::new(DType::F32, [op.rot / 2]), Fill::Normal(1.0));
    Case::new(name, op, t, vec![x, positions, factors]).with_spans(vec![Span { sequence: 0, position: from, rows: t }])
}
