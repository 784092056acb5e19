//! How outputs are divided among workers.

use vt_core::kernel::{Call, Cut};

/// Up to this many elements every worker computes for itself: next to the matmuls of as many rows it costs little, and
/// it saves a barrier.
const CHEAP_ELEMENTS: usize = 128 << 10;

/// Up to this many logits every worker chooses experts for itself.
pub(super) const FEW_ROUTED: usize = 8 << 10;

/// Columns that a worker's part is a multiple of: whole cache lines.
pub(super) const LINE: usize = 16;

/// Rows and columns may be cut: for ops of which each element depends on its own place only.
pub(super) fn anywhere(call: &Call<'_>) -> Cut {
    Cut::either(1, LINE).or_each(is_cheap(call))
}

/// Rows may be cut.
pub(super) fn by_rows(call: &Call<'_>) -> Cut {
    Cut::rows(1).or_each(is_cheap(call))
}

/// Rows may be cut, and blocks of columns if every worker gets as many: ops that are divided alike do not wait then.
pub(super) fn by_blocks(call: &Call<'_>, block: usize) -> Cut {
    let even = (call.cols() / block).is_multiple_of(call.workers);
    Cut { cols: if even { block } else { 0 }, ..by_rows(call) }
}

fn is_cheap(call: &Call<'_>) -> bool {
    call.rows().saturating_mul(call.cols()) <= CHEAP_ELEMENTS
}
