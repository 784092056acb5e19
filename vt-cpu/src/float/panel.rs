//! The weights of a tile: rows as they lie, and unpacked into a panel.

use vt_core::View;

use crate::arch::Isa;

use super::lanes::{LANES, Lanes};
use super::pairs::{Floor, NO_FLOOR, flush_lanes};
use super::weight::{CHUNK, Weight, chunks, flushes, put, steps};

/// The weights of a tile as they lie.
pub(super) struct Rows<'a, W, const R: usize> {
    pub(super) whole: [&'a [[W; CHUNK]]; R],
    /// What is left of each row, filled up.
    last: [[W; CHUNK]; R],
}

impl<'a, W: Weight, const R: usize> Rows<'a, W, R> {
    /// The rows from `n` on; where there are no more, the last one again.
    #[inline(always)]
    pub(super) fn new(weights: View<'a, W>, n: usize) -> Self {
        let mut rows = Self { whole: [&[]; R], last: [[W::ABSENT; CHUNK]; R] };
        for (r, whole) in rows.whole.iter_mut().enumerate() {
            let (row, rest) = chunks(weights.row((n + r).min(weights.rows() - 1)), W::ABSENT);
            *whole = row;
            if let Some(rest) = rest {
                rows.last[r] = rest;
            }
        }
        rows
    }

    /// Unpacks chunk `c`.
    #[inline(always)]
    pub(super) fn unpack_chunk<I: Isa>(&self, isa: I, c: usize, to: &mut [[Lanes; R]]) {
        for (r, row) in self.whole.iter().enumerate() {
            put(to, r, &W::unflushed(isa, row.get(c).unwrap_or(&self.last[r])));
        }
    }

    /// Unpacks all, denormal weights as zeros where they are flushed. `floor` is the lowest exponent of the weights before.
    #[inline(always)]
    pub(super) fn unpack<'p, I: Isa>(&self, isa: I, to: &'p mut [[Lanes; R]], floor: u32) -> Panel<'p, R> {
        let (mut lowest, mut rows) = (Floor::new(), self.whole);
        let count = rows[0].len();
        let (whole, rest) = to.split_at_mut(count * steps::<I, W>());
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &row[..count];
            if !rest.is_empty() {
                put(rest, r, &W::unflushed(isa, &self.last[r]));
                W::lower(isa, &self.last[r], &mut lowest);
            }
        }
        for (c, to) in whole.chunks_exact_mut(steps::<I, W>()).enumerate() {
            for (r, row) in rows.iter().enumerate() {
                put(to, r, &W::unflushed(isa, &row[c]));
                W::lower(isa, &row[c], &mut lowest);
            }
        }
        Panel::new::<I, W>(to, lowest, floor)
    }
}

/// Whether some rows of this type suit products as they lie: f32, where products may take operands from memory.
pub(super) const fn may_suit<I: Isa, W>() -> bool {
    size_of::<W>() == size_of::<f32>() && !I::LOADS_FIRST
}

/// Whether rows suit products as they lie: whole chunks of f32, of which no vector lies in two lines of the cache.
#[inline(always)]
pub(super) fn suits<I: Isa, W>(weights: View<W>) -> bool {
    let (start, stride) = weights.as_ptr_and_stride();
    may_suit::<I, W>()
        && weights.cols().is_multiple_of(CHUNK)
        && stride.is_multiple_of(LANES)
        && start.addr().is_multiple_of(size_of::<Lanes>())
}

/// The packed weights of a tile: step after step, of each all rows.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, const R: usize> {
    pub(super) steps: &'a [[Lanes; R]],
    /// The lowest exponent among the weights, for types that are flushed.
    pub(super) floor: u32,
    /// The same of all weights up to here.
    pub(super) floor_so_far: u32,
}

impl<'a, const R: usize> Panel<'a, R> {
    #[inline(always)]
    fn new<I: Isa, W: Weight>(steps: &'a mut [[Lanes; R]], lowest: Floor, before: u32) -> Self {
        let floor = if flushes::<I, W>() { lowest.exponent() } else { NO_FLOOR };
        if floor == 0 {
            for weights in steps.as_flattened_mut() {
                *weights = flush_lanes(weights);
            }
        }
        Self { steps, floor, floor_so_far: floor.min(before) }
    }
}
