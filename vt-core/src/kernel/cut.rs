//! How an output is divided among workers, and what a part of it reads.

use std::ops::Range;

/// How much of an input a tile of the output reads. Where the input has several rows for each row of the output
/// (`[T, K, D]` beside `[T, D]`), these belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// All of it.
    All,
    /// The tile's rows, whole.
    Rows,
    /// The tile's rows and columns; where the input's rows are longer or shorter than the output's, the same fraction.
    /// An input of one row has no rows to choose. Where that fraction of a tile is not whole columns (or blocks) of the
    /// input, or of another output, the plan does not cut columns.
    Tile,
}

/// How the parts of an output are given to workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// Neighbouring parts together, one tile a worker.
    Blocks,
    /// In turn, a tile a part: for parts of unequal cost.
    Cyclic,
}

/// How a kernel's output may be divided. Among several ways the plan takes one that needs no barrier, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Cheap enough for every worker to compute the whole into a copy of its own.
    pub each: bool,
    /// Rows may be divided in multiples of this; 0: not at all.
    pub rows: usize,
    /// Columns may be divided in multiples of this; 0: not at all.
    pub cols: usize,
    /// How rows are dealt.
    pub deal: Deal,
}

impl Cut {
    /// Not divided: one worker computes it.
    pub const fn whole() -> Self {
        Self { each: false, rows: 0, cols: 0, deal: Deal::Blocks }
    }

    /// By rows.
    pub const fn rows(grain: usize) -> Self {
        Self { rows: grain, ..Self::whole() }
    }

    /// By columns.
    pub const fn cols(grain: usize) -> Self {
        Self { cols: grain, ..Self::whole() }
    }

    /// By rows or by columns.
    pub const fn either(rows: usize, cols: usize) -> Self {
        Self { rows, cols, ..Self::whole() }
    }

    /// Also by every worker for itself, if `cheap`.
    pub const fn or_each(self, cheap: bool) -> Self {
        Self { each: cheap, ..self }
    }

    /// Rows dealt in turn.
    pub const fn cyclic(self) -> Self {
        Self { deal: Deal::Cyclic, ..self }
    }
}

/// A part of an output: rows and columns of elements; for a state, columns are its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The rows.
    pub rows: Range<usize>,
    /// The columns.
    pub cols: Range<usize>,
}

impl Tile {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.cols.is_empty()
    }
}
