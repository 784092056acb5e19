//! What `infer` sees of an op's inputs, and how it answers.

use std::fmt;

use smallvec::{SmallVec, smallvec};

use crate::{DType, Desc, Dim, OpError, StateSpec};

/// What is known of a value when an op is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A tensor.
    Tensor(Desc),
    /// A version of a sequence's state.
    State(StateSpec),
}

impl ValueType {
    /// The tensor's description, if it is one.
    pub fn tensor(&self) -> Option<&Desc> {
        match self {
            ValueType::Tensor(d) => Some(d),
            ValueType::State(_) => None,
        }
    }

    /// The state's specification, if it is one.
    pub fn state(&self) -> Option<&StateSpec> {
        match self {
            ValueType::Tensor(_) => None,
            ValueType::State(s) => Some(s),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Tensor(d) => d.fmt(f),
            ValueType::State(s) => s.fmt(f),
        }
    }
}

/// The types of an op's outputs.
pub type Outs = SmallVec<[ValueType; 1]>;

/// The answer of an op with one tensor as output.
pub fn one(desc: Desc) -> Result<Outs, OpError> {
    Ok(smallvec![ValueType::Tensor(desc)])
}

/// An op's inputs, with checks whose errors name op and input.
#[derive(Debug)]
pub struct Inputs<'a> {
    op: &'static str,
    names: &'static [&'static str],
    types: &'a [&'a ValueType],
}

impl<'a> Inputs<'a> {
    /// The inputs of `op`, of which there must be as many as names; the last `optional` may be left out.
    pub(crate) fn new(
        op: &'static str,
        names: &'static [&'static str],
        optional: usize,
        types: &'a [&'a ValueType],
    ) -> Result<Self, OpError> {
        if types.len() > names.len() || types.len() + optional < names.len() {
            return Err(OpError::Arity { op, expected: names.len(), names: names.join(", "), found: types.len() });
        }
        Ok(Self { op, names, types })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.types.len()
    }

    /// Input `i` as a tensor.
    ///
    /// # Errors
    /// If it is state.
    pub fn tensor(&self, i: usize) -> Result<&'a Desc, OpError> {
        self.types[i].tensor().ok_or_else(|| self.error(i, "a tensor"))
    }

    /// Input `i` as state.
    ///
    /// # Errors
    /// If it is a tensor.
    pub fn state(&self, i: usize) -> Result<&'a StateSpec, OpError> {
        self.types[i].state().ok_or_else(|| self.error(i, "state"))
    }

    /// The `N` dimensions of input `i`, whose elements must be `dtype`.
    ///
    /// # Errors
    /// If type or rank differ.
    pub fn dims<const N: usize>(&self, i: usize, dtype: DType) -> Result<[Dim; N], OpError> {
        let desc = self.tensor(i)?;
        match <[Dim; N]>::try_from(desc.shape.as_slice()) {
            Ok(dims) if desc.dtype == dtype => Ok(dims),
            _ => Err(self.error(i, format_args!("{dtype} of {N} dimensions"))),
        }
    }

    /// Input `i` as a matrix: its leading dimension and its columns, which must be a number.
    ///
    /// # Errors
    /// If type or rank differ, or the columns are a symbol.
    pub fn matrix(&self, i: usize, dtype: DType) -> Result<(Dim, usize), OpError> {
        match self.dims(i, dtype)? {
            [rows, Dim::Fixed(cols)] => Ok((rows, cols)),
            _ => Err(self.error(i, "a number of columns")),
        }
    }

    /// Whether input `i` is `i32 [rows]`: a number for each row.
    ///
    /// # Errors
    /// If it is not.
    pub fn want_index(&self, i: usize, rows: Dim) -> Result<(), OpError> {
        let [n] = self.dims(i, DType::I32)?;
        self.want(n == rows, i, || format!("i32 [{rows}]"))
    }

    /// Whether `condition` holds for input `i`; `expected` says what was wanted where not.
    ///
    /// # Errors
    /// If it does not hold.
    pub fn want<D: fmt::Display>(
        &self,
        condition: bool,
        i: usize,
        expected: impl FnOnce() -> D,
    ) -> Result<(), OpError> {
        if condition { Ok(()) } else { Err(self.error(i, expected())) }
    }

    /// An error about an attribute.
    pub fn attribute(&self, attribute: &'static str, expected: impl fmt::Display, found: impl fmt::Display) -> OpError {
        OpError::Attribute { op: self.op, attribute, expected: expected.to_string(), found: found.to_string() }
    }

    /// Whether `condition` holds for an attribute.
    ///
    /// # Errors
    /// If it does not hold.
    pub fn want_attribute(
        &self,
        condition: bool,
        attribute: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Result<(), OpError> {
        if condition { Ok(()) } else { Err(self.attribute(attribute, expected, found)) }
    }

    fn error(&self, i: usize, expected: impl fmt::Display) -> OpError {
        OpError::Input {
            op: self.op,
            input: self.names[i],
            expected: expected.to_string(),
            found: self.types[i].to_string(),
        }
    }
}
