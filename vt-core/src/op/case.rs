//! Cases: examples of an op that drive goldens, comparisons, property tests and micro-benchmarks.

use std::fmt;
use std::sync::Arc;

use super::{ArcOp, Op, data};
use crate::plan::Span;
use crate::{DType, Desc, Sizes, StateSpec, Tensor, TensorError};

/// What an input of a case is filled with. The same case always has the same data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Bell-shaped numbers around 0 with this deviation; random valid blocks for block types.
    Normal(f32),
    /// Numbers over many magnitudes, with zeros of both signs and repeated ones among them.
    Wide,
    /// Bell-shaped numbers with a NaN or an infinity here and there.
    NonFinite,
    /// Zeros.
    Zero,
    /// Numbers between 0 and this.
    UpTo(f32),
    /// Whole numbers in `0..limit`.
    Ids(usize),
    /// The row's position in its sequence, from the case's spans.
    Positions,
    /// The row's sequence, from the case's spans.
    Sequences,
}

/// An input of a case.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor {
        /// Its type and shape.
        desc: Desc,
        /// Its content.
        fill: Fill,
    },
    /// State, filled with bell-shaped numbers up to a number of positions.
    State {
        /// Its kind.
        spec: StateSpec,
        /// The filled positions of each sequence.
        filled: Vec<usize>,
    },
}

impl Operand {
    /// A tensor operand.
    pub fn tensor(desc: Desc, fill: Fill) -> Self {
        Operand::Tensor { desc, fill }
    }
}

/// One example of an op.
#[derive(Clone, Debug)]
pub struct Case<O> {
    /// Its name, unique among the op's cases and fit for a folder's name.
    pub name: String,
    /// The op with its attributes.
    pub op: O,
    /// The values of the symbols.
    pub sizes: Sizes,
    /// The rows of each sequence, for ops with state.
    pub spans: Vec<Span>,
    /// The inputs.
    pub inputs: Vec<Operand>,
}

/// A case of an op whose type is not known where it is used.
pub type AnyCase = Case<ArcOp>;

impl<O> Case<O> {
    /// A case of `t` rows.
    pub fn new(name: impl Into<String>, op: O, t: usize, inputs: Vec<Operand>) -> Self {
        Self { name: name.into(), op, sizes: Sizes { t, r: t }, spans: Vec::new(), inputs }
    }

    /// The same case with another value of R.
    pub fn with_r(mut self, r: usize) -> Self {
        self.sizes.r = r;
        self
    }

    /// The same case with the rows of its sequences.
    pub fn with_spans(mut self, spans: Vec<Span>) -> Self {
        self.spans = spans;
        self
    }

    /// The number of sequences.
    pub fn sequences(&self) -> usize {
        self.spans.iter().map(|s| s.sequence + 1).max().unwrap_or(0)
    }

    /// The data of tensor input `i`; `None` for state.
    ///
    /// # Errors
    /// If the tensor cannot be made.
    pub fn tensor(&self, i: usize) -> Result<Option<Tensor>, TensorError> {
        let Some(Operand::Tensor { desc, fill }) = self.inputs.get(i) else { return Ok(None) };
        let shape: Vec<usize> = desc.shape.iter().map(|d| self.sizes.of(*d)).collect();
        let made = match fill {
            Fill::Positions => self.per_row(&shape, |span, row| span.position + row),
            Fill::Sequences => self.per_row(&shape, |span, _| span.sequence),
            fill => data::tensor(desc.dtype, &shape, *fill, self.seed(i)),
        };
        made.map(Some)
    }

    /// `count` bell-shaped numbers for the state of input `i` and sequence `sequence`.
    pub fn state_data(&self, i: usize, sequence: usize, count: usize) -> Vec<f32> {
        data::normal(count, 1.0, self.seed(i) ^ (sequence as u64 + 1))
    }

    fn per_row(&self, shape: &[usize], value: impl Fn(&Span, usize) -> usize) -> Result<Tensor, TensorError> {
        let rows = self.spans.iter().flat_map(|s| (0..s.rows).map(move |row| (s, row)));
        let values: Vec<i32> = rows.map(|(s, row)| i32::try_from(value(s, row)).unwrap_or(i32::MAX)).collect();
        Tensor::from_slice(DType::I32, shape, &values)
    }

    fn seed(&self, input: usize) -> u64 {
        let hash = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        self.name.bytes().fold(0xcbf2_9ce4_8422_2325, hash).wrapping_add(input as u64 * 0x9e37_79b9)
    }
}

impl<O: Op> Case<O> {
    /// The same case without the op's type.
    pub fn erase(self) -> AnyCase {
        Case { name: self.name, op: Arc::new(self.op), sizes: self.sizes, spans: self.spans, inputs: self.inputs }
    }
}

impl<O: fmt::Debug> fmt::Display for Case<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.op)
    }
}
