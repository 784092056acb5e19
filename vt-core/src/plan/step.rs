//! The steps of a schedule.

use std::ops::Range;

use smallvec::SmallVec;

use super::Share;
use super::program::Source;
use crate::kernel::{Need, Tile};
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

/// The number of rows of a value: a symbol, or one, times a number. A state is written by the rows of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub sym: Option<Sym>,
    pub times: usize,
}

impl Rows {
    pub(crate) fn of(ty: &ValueType) -> Self {
        let Some(desc) = ty.tensor() else { return Self { sym: Some(Sym::T), times: 1 } };
        let one = Sizes { t: 1, r: 1 };
        Self { sym: desc.sym(), times: desc.row_count(&one).unwrap_or(0) }
    }

    pub(crate) fn count(self, sizes: &Sizes) -> usize {
        self.times * self.sym.map_or(1, |s| sizes.of(s.into()))
    }

    pub(crate) fn single(self) -> bool {
        self.sym.is_none() && self.times == 1
    }

    /// How many of these rows belong to each of `others`; `None` if that is no whole number.
    pub(crate) fn per(self, others: Self) -> Option<usize> {
        if self == others {
            return Some(1);
        }
        let whole = self.sym == others.sym && others.times > 0 && self.times.is_multiple_of(others.times);
        whole.then(|| self.times / others.times)
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

impl Step {
    /// The part of output `i` that a tile of the first output stands for.
    pub(crate) fn output_part(&self, i: usize, tile: &Tile, sizes: &Sizes) -> Tile {
        let operand = &self.outputs[i];
        Tile { rows: self.rows_part(operand, tile, sizes), cols: self.cols_part(operand, tile) }
    }

    /// The part of input `i` that a tile of the first output reads.
    pub(crate) fn input_part(&self, i: usize, tile: &Tile, sizes: &Sizes) -> Tile {
        let operand = &self.inputs[i];
        let all = || 0..operand.rows.count(sizes);
        match operand.need {
            Need::All => Tile { rows: all(), cols: 0..operand.cols },
            Need::Rows => Tile { rows: self.rows_part(operand, tile, sizes), cols: 0..operand.cols },
            Need::Tile if operand.rows.single() => Tile { rows: all(), cols: self.cols_part(operand, tile) },
            Need::Tile => Tile { rows: self.rows_part(operand, tile, sizes), cols: self.cols_part(operand, tile) },
        }
    }

    /// Whether a tile has nothing in any output.
    pub(crate) fn is_empty(&self, tile: &Tile, sizes: &Sizes) -> bool {
        (0..self.outputs.len()).all(|i| self.output_part(i, tile, sizes).is_empty())
    }

    /// The rows of the operand that belong to the tile's.
    fn rows_part(&self, operand: &Operand, tile: &Tile, sizes: &Sizes) -> Range<usize> {
        if !matches!(self.share, Share::Rows { .. }) {
            return 0..operand.rows.count(sizes);
        }
        let per = operand.rows.per(self.outputs[0].rows).unwrap_or(1);
        tile.rows.start * per..tile.rows.end * per
    }

    /// The tile's columns as the same fraction of the operand's: the plan cuts only where that is a whole number.
    fn cols_part(&self, operand: &Operand, tile: &Tile) -> Range<usize> {
        let total = self.outputs[0].cols;
        let scale = |c: usize| if operand.cols == total { c } else { c * operand.cols / total };
        match self.share {
            Share::Cols { .. } => scale(tile.cols.start)..scale(tile.cols.end),
            _ => 0..operand.cols,
        }
    }
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}) {:?} epoch {}", self.op, self.bound.kernel(), self.share, self.epoch)
    }
}

/// A value that goes from one device's arena to another's between segments.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub source: Source,
    pub from: (usize, Operand),
    pub to: (usize, Operand),
}

/// Neighbouring steps on one device: one parallel region.
#[derive(Debug)]
pub struct Segment {
    pub(crate) device: usize,
    /// The number of its first step in the schedule.
    pub(crate) first: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) workers: usize,
}

/// A part of a schedule.
#[derive(Debug)]
pub(crate) enum Part {
    Segment(Segment),
    Copy(Box<Copy>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_belong_to_rows_of_the_same_symbol_in_whole_numbers() {
        let rows = |sym, times| Rows { sym, times };
        let (t, r) = (Some(Sym::T), Some(Sym::R));
        assert_eq!(rows(t, 6).per(rows(t, 2)), Some(3));
        assert_eq!(rows(None, 8).per(rows(None, 8)), Some(1));
        assert_eq!((rows(t, 0).per(rows(t, 0)), rows(t, 0).per(rows(t, 2))), (Some(1), Some(0)));
        for (mine, others) in
            [((t, 2), (t, 6)), ((t, 5), (t, 2)), ((t, 2), (r, 1)), ((t, 2), (None, 1)), ((t, 2), (t, 0))]
        {
            assert_eq!(rows(mine.0, mine.1).per(rows(others.0, others.1)), None, "{mine:?} {others:?}");
        }
    }
}
