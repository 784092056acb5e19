//! The x86-64 tiers.

mod avx2;
mod avx512;
mod avx512_bf16;

use vt_core::View;

pub use avx2::Avx2;
pub use avx512::Avx512;
pub use avx512_bf16::Avx512Bf16;

/// Where sixteen rows start, from byte `at` on, and the distance between them.
///
/// # Panics
/// If there are fewer rows, or they have fewer than sixteen bytes from there on.
#[inline(always)]
fn sixteen_rows(rows: &View<'_, u8>, at: usize) -> (*const u8, usize) {
    assert!(rows.rows() >= 16 && at <= rows.cols() && rows.cols() - at >= 16, "sixteen rows of sixteen bytes");
    let (base, stride) = rows.as_ptr_and_stride();
    (base.wrapping_add(at), stride)
}
