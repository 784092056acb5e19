//! Rows of any weight type as f32.

use half::{bf16, f16};
use vt_core::DType;
use vt_core::kernel::Support;

use crate::arch::Work;
use crate::block::{Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, WeightBlock};
use crate::float::half::{bf16_to_f32, f16_to_f32};

/// Whether rows of the type can be decoded.
pub(crate) fn can_decode(dtype: Option<DType>) -> Support {
    let known = dtype.is_some_and(|d| d.is_weight_block() || matches!(d, DType::F32 | DType::F16 | DType::BF16));
    Support::when(known, || format!("{} is no weight type", dtype.map_or("state", DType::name)))
}

/// Decodes the bytes of a row.
pub(crate) struct DecodeRow<'a> {
    /// The type; one that [`can_decode`].
    pub dtype: DType,
    /// The row, as long as `out` says.
    pub bytes: &'a [u8],
    /// The values.
    pub out: &'a mut [f32],
}

impl Work for DecodeRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { dtype, bytes, out } = self;
        match dtype {
            DType::Q4_0 => blocks::<Q4_0>(bytes, out),
            DType::Q4_1 => blocks::<Q4_1>(bytes, out),
            DType::Q5_0 => blocks::<Q5_0>(bytes, out),
            DType::Q5_1 => blocks::<Q5_1>(bytes, out),
            DType::Q8_0 => blocks::<Q8_0>(bytes, out),
            DType::Q2K => blocks::<Q2K>(bytes, out),
            DType::Q3K => blocks::<Q3K>(bytes, out),
            DType::Q4K => blocks::<Q4K>(bytes, out),
            DType::Q5K => blocks::<Q5K>(bytes, out),
            DType::Q6K => blocks::<Q6K>(bytes, out),
            DType::F16 => elements(bytes, out, |b| f16_to_f32(f16::from_le_bytes(b))),
            DType::BF16 => elements(bytes, out, |b| bf16_to_f32(bf16::from_le_bytes(b))),
            _ => elements(bytes, out, f32::from_le_bytes),
        }
    }
}

#[inline(always)]
fn blocks<W: WeightBlock>(bytes: &[u8], out: &mut [f32]) {
    for (block, out) in bytes.chunks_exact(W::BYTES).zip(out.chunks_exact_mut(W::ELEMS)) {
        W::decode(block, out);
    }
}

#[inline(always)]
fn elements<const N: usize>(bytes: &[u8], out: &mut [f32], value: impl Fn([u8; N]) -> f32) {
    for (bytes, out) in bytes.as_chunks::<N>().0.iter().zip(out) {
        *out = value(*bytes);
    }
}
