//! The x86-64 tiers.

mod amx;
mod avx2;
mod avx512;
mod avx512_bf16;

use vt_core::View;

pub use amx::{Amx, SCALED_BLOCKS, Sums, Tiles};
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

/// Indices of a shuffle of bytes that give the first byte of each lane, in all its bytes. With a number added to each
/// index it is that byte.
const IN_BYTES: [i8; 16] = in_lanes([0; 4]);

/// The same in the low bytes of both halves, and zeros in the high ones.
const IN_HALVES: [i8; 16] = in_lanes([0, i8::MIN, 0, i8::MIN]);

/// The indices of a lane in each of four; negative ones stay.
const fn in_lanes(lane: [i8; 4]) -> [i8; 16] {
    let mut indices = [0; 16];
    let mut i = 0;
    while i < 16 {
        indices[i] = if lane[i % 4] < 0 { lane[i % 4] } else { lane[i % 4] + 4 * (i / 4) as i8 };
        i += 1;
    }
    indices
}
