//! Rows that follow each other in one sequence.

use vt_core::View;
use vt_core::kernel::KernelError;

use super::index;

/// Neighbouring rows of one sequence.
pub(super) struct Run {
    pub sequence: usize,
    pub row: usize,
    pub rows: usize,
}

/// The rows whose sequences `ids` are, run by run; an error in place of one whose sequence is not below `limit`.
pub(super) fn runs(ids: View<'_, i32>, limit: usize) -> impl Iterator<Item = Result<Run, KernelError>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let row = next;
        let id = (row < ids.rows()).then(|| ids.row(row)[0])?;
        let rows = (row..ids.rows()).take_while(|other| ids.row(*other)[0] == id).count();
        next += rows;
        Some(index("sequences", row, id, limit).map(|sequence| Run { sequence, row, rows }))
    })
}
