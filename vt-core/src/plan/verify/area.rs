//! What workers touch, as rows and bytes of rows.

use std::ops::Range;

use super::super::step::{Operand, Place, Step};
use crate::Sizes;
use crate::kernel::Tile;

/// The part of a value that one worker reads or writes: rows, ascending, and the same bytes of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub rows: Vec<Range<usize>>,
    pub bytes: Range<usize>,
}

impl Area {
    /// The union of a worker's tiles of an operand. `None` if they are not inside it, not of whole blocks, or not of
    /// the same columns.
    pub(super) fn of(operand: &Operand, tiles: &[Tile], sizes: &Sizes) -> Option<Self> {
        let Some(first) = tiles.first() else { return Some(Self { rows: Vec::new(), bytes: 0..0 }) };
        let (block, size) = match operand.place {
            Place::State(_) => (1, 1),
            _ => (operand.dtype.block_elems(), operand.dtype.block_bytes()),
        };
        let cols = &first.cols;
        let whole = cols.start.is_multiple_of(block) && cols.end.is_multiple_of(block) && cols.end <= operand.cols;
        let inside = tiles.iter().all(|t| t.cols == *cols && t.rows.end <= operand.rows.count(sizes));
        let rows = tiles.iter().map(|t| t.rows.clone()).filter(|r| !r.is_empty()).collect();
        (whole && inside).then(|| Self { rows, bytes: cols.start / block * size..cols.end / block * size })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.bytes.is_empty()
    }

    /// Whether both have a byte in common, of values that lie in the same place with the same rows.
    fn meets(&self, other: &Area) -> bool {
        let bytes = self.bytes.start.max(other.bytes.start) < self.bytes.end.min(other.bytes.end);
        let (mut a, mut b) = (self.rows.iter().peekable(), other.rows.iter().peekable());
        while let (true, Some(x), Some(y)) = (bytes, a.peek(), b.peek()) {
            if x.start < y.end && y.start < x.end {
                return true;
            }
            if x.end <= y.end {
                a.next()
            } else {
                b.next()
            };
        }
        false
    }

    /// Whether all of `other` is in this one.
    pub(super) fn holds(&self, other: &Area) -> bool {
        let row = |r: &Range<usize>| {
            let mut next = r.start;
            self.rows.iter().for_each(|mine| next = if mine.contains(&next) { mine.end } else { next });
            next >= r.end
        };
        let bytes = self.bytes.start <= other.bytes.start && other.bytes.end <= self.bytes.end;
        other.is_empty() || (bytes && other.rows.iter().all(row))
    }
}

/// Whether the areas of all workers are each element of `rows` by `bytes` once.
pub(super) fn divide(areas: &[Area], rows: usize, bytes: usize) -> bool {
    if rows == 0 || bytes == 0 {
        return areas.iter().all(Area::is_empty);
    }
    let areas: Vec<&Area> = areas.iter().filter(|a| !a.is_empty()).collect();
    let by_rows = areas.iter().all(|a| a.bytes == (0..bytes));
    let ranges: Vec<Range<usize>> = if by_rows {
        areas.iter().flat_map(|a| a.rows.clone()).collect()
    } else {
        let full = areas.iter().all(|a| covers(a.rows.clone(), rows));
        areas.iter().filter(|_| full).map(|a| a.bytes.clone()).collect()
    };
    covers(ranges, if by_rows { rows } else { bytes })
}

/// Whether ranges are `0..end`, each number once.
fn covers(mut ranges: Vec<Range<usize>>, end: usize) -> bool {
    ranges.sort_unstable_by_key(|r| r.start);
    let mut next = 0;
    for r in ranges {
        if r.start != next {
            return false;
        }
        next = r.end;
    }
    next == end
}

/// A worker's access to memory in an epoch.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub worker: usize,
    /// The first byte of the value, or of the worker's copy.
    pub start: usize,
    pub row_bytes: usize,
    pub area: Area,
}

impl Access {
    fn span(&self) -> Range<usize> {
        let (first, last) = (self.area.rows.first().map_or(0, |r| r.start), self.area.rows.last().map_or(0, |r| r.end));
        if self.area.is_empty() {
            0..0
        } else {
            self.start + first * self.row_bytes..self.start + last * self.row_bytes
        }
    }

    /// Whether two workers touch the same bytes. Values that lie differently count as whole rows.
    pub(super) fn clashes(&self, other: &Access) -> bool {
        if self.worker == other.worker {
            return false;
        }
        if self.start == other.start && self.row_bytes == other.row_bytes {
            return self.area.meets(&other.area);
        }
        let (a, b) = (self.span(), other.span());
        a.start < b.end && b.start < a.end
    }
}

/// By worker, the tiles of a step that have something in them.
pub(super) fn tiles(step: &Step, workers: usize, sizes: &Sizes) -> Vec<Vec<Tile>> {
    let Some(out) = step.outputs.first() else { return vec![Vec::new(); workers] };
    let of = |w| step.share.tiles(w, workers, out.rows.count(sizes), out.cols).filter(|t| !step.is_empty(t, sizes));
    (0..workers).map(|w| of(w).collect()).collect()
}

#[cfg(test)]
mod tests;
