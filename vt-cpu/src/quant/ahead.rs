//! What panels of weight rows are made of, and what is asked for long before it is needed.

use std::ops::Range;

use vt_core::View;

use crate::arch::prefetch;

use super::few_rows::AHEAD;

/// Weight rows of a vector of a panel.
const VECTOR: usize = 16;

/// The rows of the panel of R vectors at `row`, as far as they exist.
#[inline(always)]
pub(super) fn panel_rows<'a, const R: usize>(weights: &View<'a, u8>, row: usize) -> View<'a, u8> {
    let row = row.min(weights.rows());
    weights.slice_rows(row, (R * VECTOR).min(weights.rows() - row))
}

/// What is computed after the columns `chunk` of the panel at `row`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn next_chunk<'a, const R: usize>(weights: &View<'a, u8>, row: usize, chunk: &Range<usize>) -> View<'a, u8> {
    let (row, from) = if chunk.end < weights.cols() { (row, chunk.end) } else { (row + R * VECTOR, 0) };
    panel_rows::<R>(weights, row).slice_cols(from, chunk.len().min(weights.cols() - from))
}

/// What to ask for while the columns `chunk` of the panel at `row` are computed: as much of a later panel, in the order
/// in which it lies. Where rows lie apart, the same columns of the next panel are asked for at once, and nothing is left.
#[inline(always)]
pub(super) fn ahead<'a, const R: usize>(weights: &View<'a, u8>, row: usize, chunk: &Range<usize>) -> &'a [u8] {
    let panels = AHEAD.div_ceil(R * VECTOR * weights.cols());
    let rows = panel_rows::<R>(weights, row + panels * R * VECTOR);
    match rows.contiguous() {
        Some(bytes) => &bytes[chunk.start * rows.rows()..chunk.end * rows.rows()],
        None => {
            (0..rows.rows()).for_each(|r| prefetch(&rows.row(r)[chunk.clone()]));
            &[]
        }
    }
}
