//! Shapes, whose leading dimension may be a symbol.

use std::fmt;

use smallvec::SmallVec;

use crate::DType;

/// A number of rows that is known only when a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sym {
    /// The rows of the batch: one per token.
    T,
    /// The rows whose logits are wanted.
    R,
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// Known when the graph is built.
    Fixed(usize),
    /// Known when a pass runs. Only the first dimension of a shape may be one.
    Sym(Sym),
}

impl From<usize> for Dim {
    fn from(n: usize) -> Self {
        Dim::Fixed(n)
    }
}

impl From<Sym> for Dim {
    fn from(s: Sym) -> Self {
        Dim::Sym(s)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Fixed(n) => n.fmt(f),
            Dim::Sym(s) => write!(f, "{s:?}"),
        }
    }
}

/// The values of the symbols: largest ones when a plan is made, actual ones in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// The value of [`Sym::T`].
    pub t: usize,
    /// The value of [`Sym::R`].
    pub r: usize,
}

impl Sizes {
    /// The value of a dimension.
    pub fn of(&self, d: Dim) -> usize {
        match d {
            Dim::Fixed(n) => n,
            Dim::Sym(Sym::T) => self.t,
            Dim::Sym(Sym::R) => self.r,
        }
    }

    /// Whether neither value is above `other`'s.
    pub fn within(&self, other: &Sizes) -> bool {
        self.t <= other.t && self.r <= other.r
    }
}

/// A list of dimensions.
pub type Shape = SmallVec<[Dim; 4]>;

/// What is known of a value when a graph is built: its type and shape.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Desc {
    /// The type of the elements.
    pub dtype: DType,
    /// The dimensions, the fastest one last.
    pub shape: Shape,
}

impl Desc {
    /// A description.
    pub fn new<D: Into<Dim>>(dtype: DType, shape: impl IntoIterator<Item = D>) -> Self {
        Self { dtype, shape: shape.into_iter().map(Into::into).collect() }
    }

    /// A description whose shape leads with a symbol.
    pub fn rows(dtype: DType, rows: impl Into<Dim>, cols: usize) -> Self {
        Self::new(dtype, [rows.into(), Dim::Fixed(cols)])
    }

    /// The elements in a row: the last dimension, 1 for a scalar.
    pub fn cols(&self) -> usize {
        match self.shape.last() {
            Some(Dim::Fixed(n)) => *n,
            _ => 1,
        }
    }

    /// The symbol that leads the shape.
    pub fn sym(&self) -> Option<Sym> {
        match self.shape.first() {
            Some(Dim::Sym(s)) => Some(*s),
            _ => None,
        }
    }

    /// Whether no dimension but the first is a symbol, as it must be in a graph.
    pub fn symbol_leads(&self) -> bool {
        self.shape.iter().skip(1).all(|d| matches!(d, Dim::Fixed(_)))
    }

    /// The product of all dimensions but the last; a one-dimensional value that leads with a symbol has that many rows
    /// of one element. `None` if it does not fit.
    pub fn row_count(&self, sizes: &Sizes) -> Option<usize> {
        let outer = match self.shape.as_slice() {
            [only @ Dim::Sym(_)] => return Some(sizes.of(*only)),
            [outer @ .., _] => outer,
            [] => &[],
        };
        outer.iter().try_fold(1usize, |n, d| n.checked_mul(sizes.of(*d)))
    }

    /// The bytes of a row. `None` if a row is no whole number of blocks, or the size does not fit.
    pub fn row_bytes(&self) -> Option<usize> {
        let cols = self.cols();
        cols.checked_mul(self.dtype.block_bytes())?;
        self.dtype.row_bytes(cols).ok()
    }

    /// The bytes of the whole value. `None` as in [`Desc::row_bytes`].
    pub fn bytes(&self, sizes: &Sizes) -> Option<usize> {
        self.row_count(sizes)?.checked_mul(self.row_bytes()?)
    }
}

impl fmt::Debug for Desc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Desc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [", self.dtype)?;
        for (i, d) in self.shape.iter().enumerate() {
            write!(f, "{}{d}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_bytes() {
        let s = Sizes { t: 3, r: 1 };
        let d = Desc::rows(DType::F32, Sym::T, 5);
        assert_eq!((d.row_count(&s), d.cols(), d.bytes(&s)), (Some(3), 5, Some(60)));
        assert_eq!(Desc::new(DType::I32, [Sym::T]).bytes(&s), Some(12));
        assert_eq!(Desc::new(DType::F32, [7usize]).row_count(&s), Some(1));
        assert_eq!(Desc::new(DType::F32, Shape::new()).bytes(&s), Some(4));
        assert_eq!(Desc::new(DType::F32, [0usize, 4]).bytes(&s), Some(0));
        assert_eq!(Desc::new(DType::Q4K, [2usize, 100]).bytes(&s), None);
        assert_eq!(Desc::new(DType::F32, [usize::MAX, 4]).bytes(&s), None);
        assert_eq!((d.to_string().as_str(), format!("{d:?}").as_str()), ("f32 [T, 5]", "f32 [T, 5]"));
    }

    #[test]
    fn symbols_lead_and_are_counted() {
        let (t, r) = (Desc::rows(DType::F32, Sym::T, 5), Desc::rows(DType::F32, Sym::R, 5));
        let fixed = Desc::new(DType::F32, [2usize, 3, 5]);
        assert_eq!((t.sym(), r.sym(), fixed.sym()), (Some(Sym::T), Some(Sym::R), None));
        let inner = Desc::new(DType::F32, [2.into(), Dim::Sym(Sym::T)]);
        assert!(t.symbol_leads() && fixed.symbol_leads() && !inner.symbol_leads());
        let sizes = Sizes { t: 7, r: 2 };
        assert_eq!((t.row_count(&sizes), r.row_count(&sizes), fixed.row_count(&sizes)), (Some(7), Some(2), Some(6)));
        assert_eq!((fixed.row_bytes(), fixed.bytes(&sizes)), (Some(20), Some(120)));
        assert!(sizes.within(&sizes) && sizes.within(&Sizes { t: 8, r: 3 }));
        assert!(!sizes.within(&Sizes { t: 6, r: 9 }) && !sizes.within(&Sizes { t: 9, r: 1 }));
    }
}
