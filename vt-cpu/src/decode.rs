//! Rows of any weight type as f32.

use half::{bf16, f16};
use vt_core::DType;
use vt_core::kernel::Support;

use crate::arch::Work;
use crate::block::{Mxfp4, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, WeightBlock};
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
            DType::MXFP4 => blocks::<Mxfp4>(bytes, out),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::reference::{Random, random_blocks, value};

    fn decoded(dtype: DType, bytes: &[u8], count: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; count];
        DecodeRow { dtype, bytes, out: &mut out }.run();
        out
    }

    #[test]
    fn each_block_type_is_decoded_as_itself() {
        let mut random = Random(11);
        for dtype in DType::weight_blocks() {
            let bytes = random_blocks(dtype, 2, &mut random);
            let found = decoded(dtype, &bytes, 2 * dtype.block_elems());
            for (i, found) in found.iter().enumerate() {
                let block = &bytes[i / dtype.block_elems() * dtype.block_bytes()..][..dtype.block_bytes()];
                let (expected, magnitude) = value(dtype, block, i % dtype.block_elems());
                let error = (f64::from(*found) - expected).abs();
                assert!(error <= 1e-6 * magnitude, "{dtype} {i}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn floats_are_widened() {
        let x = [0.5f32, -3.0, 65504.0];
        let bytes = |each: &dyn Fn(f32) -> Vec<u8>| x.iter().flat_map(|&x| each(x)).collect::<Vec<u8>>();
        let half = bytes(&|x| f16::from_f32(x).to_le_bytes().to_vec());
        assert_eq!(decoded(DType::F16, &half, 3), x);
        assert_eq!(decoded(DType::F32, &bytes(&|x| x.to_le_bytes().to_vec()), 3), x);
        let brain = bytes(&|x| bf16::from_f32(x).to_le_bytes().to_vec());
        assert_eq!(decoded(DType::BF16, &brain, 3), x.map(|x| bf16::from_f32(x).to_f32()));
    }

    #[test]
    fn only_weights_are_decoded() {
        assert!(matches!(can_decode(Some(DType::F16)), Support::Yes));
        assert!(matches!(can_decode(Some(DType::Q4K)), Support::Yes));
        assert!(!matches!(can_decode(Some(DType::I32)), Support::Yes));
        assert!(!matches!(can_decode(Some(DType::Q8K)), Support::Yes));
        assert!(!matches!(can_decode(None), Support::Yes));
    }
}
