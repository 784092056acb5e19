//! Which part of a step's output each worker computes.

use std::fmt;

use crate::kernel::{Deal, Tile};

/// How the output of a step is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The first worker computes it.
    Whole,
    /// Every worker computes it into a copy of its own.
    Each,
    /// By rows, in multiples of the grain.
    Rows {
        /// Rows of a part.
        grain: usize,
        /// How the parts are dealt.
        deal: Deal,
    },
    /// By columns, in multiples of the grain.
    Cols {
        /// Columns of a part.
        grain: usize,
    },
}

impl Share {
    /// The tiles of a worker of an output of `rows` by `cols`.
    pub fn tiles(self, worker: usize, workers: usize, rows: usize, cols: usize) -> impl Iterator<Item = Tile> {
        let (total, grain, deal) = match self {
            Share::Rows { grain, deal } => (rows, grain, deal),
            Share::Cols { grain } => (cols, grain, Deal::Blocks),
            Share::Whole | Share::Each => (1, 1, Deal::Blocks),
        };
        let parts = total.div_ceil(grain.max(1));
        let (first, end, step, run) = match (self, deal) {
            (Share::Each, _) => (0, 1, 1, 1),
            (Share::Whole, _) => (0, usize::from(worker == 0), 1, 1),
            (_, Deal::Cyclic) => (worker, parts, workers, 1),
            (_, Deal::Blocks) => {
                let (from, to) = (parts * worker / workers, parts * (worker + 1) / workers);
                (from, to, (to - from).max(1), to - from)
            }
        };
        (first..end).step_by(step).map(move |part| {
            let range = part * grain..((part + run) * grain).min(total);
            match self {
                Share::Rows { .. } => Tile { rows: range, cols: 0..cols },
                Share::Cols { .. } => Tile { rows: 0..rows, cols: range },
                Share::Whole | Share::Each => Tile { rows: 0..rows, cols: 0..cols },
            }
        })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Share::Whole => write!(f, "one worker"),
            Share::Each => write!(f, "every worker"),
            Share::Rows { grain, deal: Deal::Blocks } => write!(f, "by rows, {grain}"),
            Share::Rows { grain, deal: Deal::Cyclic } => write!(f, "by rows in turn, {grain}"),
            Share::Cols { grain } => write!(f, "by columns, {grain}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_cover_the_output_once() {
        let shares = [
            Share::Whole,
            Share::Rows { grain: 1, deal: Deal::Blocks },
            Share::Rows { grain: 4, deal: Deal::Cyclic },
            Share::Cols { grain: 3 },
        ];
        for share in shares {
            for (rows, cols) in [(0, 5), (1, 1), (7, 10), (16, 9), (33, 0)] {
                for workers in 1..6 {
                    let mut seen = vec![0; rows * cols];
                    for tile in (0..workers).flat_map(|w| share.tiles(w, workers, rows, cols)) {
                        tile.rows.for_each(|r| tile.cols.clone().for_each(|c| seen[r * cols + c] += 1));
                    }
                    assert!(seen.iter().all(|n| *n == 1), "{share:?} {rows}x{cols} {workers}");
                }
            }
        }
    }

    #[test]
    fn each_worker_computes_its_own_copy() {
        for worker in 0..3 {
            let tiles: Vec<_> = Share::Each.tiles(worker, 3, 2, 5).collect();
            assert_eq!(tiles, [Tile { rows: 0..2, cols: 0..5 }]);
        }
    }

    #[test]
    fn blocks_are_neighbours_and_turns_are_dealt() {
        let rows = |deal, worker| -> Vec<_> {
            Share::Rows { grain: 2, deal }.tiles(worker, 2, 9, 4).map(|t| (t.rows, t.cols)).collect()
        };
        assert_eq!(rows(Deal::Blocks, 0), [(0..4, 0..4)]);
        assert_eq!(rows(Deal::Blocks, 1), [(4..9, 0..4)]);
        assert_eq!(rows(Deal::Cyclic, 0), [(0..2, 0..4), (4..6, 0..4), (8..9, 0..4)]);
        assert_eq!(rows(Deal::Cyclic, 1), [(2..4, 0..4), (6..8, 0..4)]);
        let cols = |worker| Share::Cols { grain: 3 }.tiles(worker, 3, 2, 10).map(|t| t.cols).next();
        assert_eq!((cols(0), cols(1), cols(2)), (Some(0..3), Some(3..6), Some(6..10)));
        assert_eq!(Share::Whole.tiles(1, 2, 5, 5).count(), 0);
        assert_eq!(
            Share::Cols { grain: 8 }.tiles(0, 2, 5, 5).count() + Share::Cols { grain: 8 }.tiles(1, 2, 5, 5).count(),
            1
        );
    }
}
