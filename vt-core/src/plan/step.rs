//! The steps of a schedule.

use smallvec::SmallVec;

use super::Share;
use crate::kernel::Need;
use crate::op::ValueType;
use crate::registry::Bound;
use crate::{DType, Sizes, Sym};

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the arena of the segment's device; workers' own copies lie `own` bytes apart, a shared value has `own` 0.
    Arena { offset: usize, own: usize },
    /// A run-time input.
    Input(usize),
    /// A weight.
    Weight(usize),
    /// A slot of the sequences' state.
    State(usize),
}

/// The number of rows of a value: a symbol, or one, times a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub sym: Option<Sym>,
    pub times: usize,
}

impl Rows {
    pub(crate) fn of(ty: &ValueType) -> Self {
        let Some(desc) = ty.tensor() else { return Self { sym: None, times: 0 } };
        let one = Sizes { t: 1, r: 1 };
        Self { sym: desc.sym(), times: desc.row_count(&one).unwrap_or(0) }
    }

    pub(crate) fn count(self, sizes: &Sizes) -> usize {
        self.times * self.sym.map_or(1, |s| sizes.of(s.into()))
    }

    pub(crate) fn single(self) -> bool {
        self.sym.is_none() && self.times == 1
    }
}

/// An input or output of a step.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub ty: ValueType,
    pub place: Place,
    pub dtype: DType,
    pub rows: Rows,
    /// Elements of a row; parts of a state.
    pub cols: usize,
    pub row_bytes: usize,
    /// How much of it a tile of the output reads.
    pub need: Need,
}

impl Operand {
    pub(crate) fn new(ty: ValueType, place: Place, need: Need) -> Self {
        let rows = Rows::of(&ty);
        let (dtype, cols, row_bytes) = match &ty {
            ValueType::Tensor(d) => (d.dtype, d.cols(), d.row_bytes().unwrap_or(0)),
            ValueType::State(s) => (DType::F32, s.parts(), 0),
        };
        Self { ty, place, dtype, rows, cols, row_bytes, need }
    }
}

/// An op at its place in a schedule, with its kernel and its operands.
pub(crate) struct Step {
    pub op: &'static str,
    /// The node of the program.
    pub node: usize,
    pub bound: Box<dyn Bound>,
    pub share: Share,
    /// Whether workers wait for each other before it.
    pub barrier: bool,
    /// What lies between two barriers has the same number.
    pub epoch: usize,
    pub inputs: SmallVec<[Operand; 6]>,
    pub outputs: SmallVec<[Operand; 1]>,
    /// The input whose memory the first output takes over.
    pub in_place: Option<usize>,
    pub scratch: usize,
    /// Whether the step runs on another device than the plan's, because that has no kernel.
    pub fallback: bool,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}) {:?} epoch {}", self.op, self.bound.kernel(), self.share, self.epoch)
    }
}

/// A value that goes from one device's arena to another's between segments.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub from: (usize, Operand),
    pub to: (usize, Operand),
}

/// Neighbouring steps on one device: one parallel region.
#[derive(Debug)]
pub struct Segment {
    pub(crate) device: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) scratch: usize,
    pub(crate) workers: usize,
}

/// A part of a schedule.
#[derive(Debug)]
pub(crate) enum Part {
    Segment(Segment),
    Copy(Copy),
}
