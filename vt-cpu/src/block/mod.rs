//! The block types: how the bytes of weights and activations become numbers.
//!
//! A weight block is read in two ways. [`WeightBlock::decode`] gives its values as `f32`, bit for bit those of ggml's
//! `dequantize_row_*`. [`WeightBlock::unpack`] gives the integers that a quantized matmul multiplies: the quants, in
//! K-quants times the scale of their sub-block, so that a block's dot product is one sum of `i16` products and exact.

#![allow(clippy::needless_range_loop, reason = "several arrays of vectors are read at one index")]

mod f16;
mod folded;
mod kquant;
mod lanes;
mod mxfp4;
mod q2_k;
mod q2_k_folded;
mod q3_k;
mod q3_k_folded;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod q8_1;
mod q8_k;
#[cfg(test)]
pub(crate) mod reference;
mod round;
#[cfg(test)]
mod tests;

use vt_core::DType;

pub use f16::{f16_to_f32, f32_to_f16};
pub use lanes::{Quants, RowLanes, Rows, Scales};
pub use mxfp4::Mxfp4;
pub use q2_k::Q2K;
pub use q2_k_folded::FoldedQ2K;
pub use q3_k::Q3K;
pub use q3_k_folded::FoldedQ3K;
pub use q4_0::Q4_0;
pub use q4_1::Q4_1;
pub use q4_k::Q4K;
pub use q5_0::Q5_0;
pub use q5_1::Q5_1;
pub use q5_k::Q5K;
pub use q6_k::Q6K;
pub use q8_0::Q8_0;
pub use q8_1::Q8_1;
pub use q8_k::Q8K;

/// The most elements that a block has.
pub const MAX_ELEMS: usize = 256;

/// Integer scales or minima of a block's parts, in order; a type with fewer parts leaves the rest 0.
pub type SubScales = [i8; 16];

/// What a weight block adds besides the product of quants: the second step of the rule that `crate::quant` states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// Nothing: values are multiples of the scale.
    None,
    /// `m * s`: a constant per block times the activations' sum (Q4_1, Q5_1).
    Constant,
    /// `-(dmin * da) * M`: integer minima times sums of activation quants (Q2_K, Q4_K, Q5_K).
    Minima,
}

/// A block type of weights. The functions take one block, [`DType::block_bytes`] long, and panic on a shorter one.
pub trait WeightBlock: 'static {
    /// The type.
    const DTYPE: DType;
    /// Elements in a block.
    const ELEMS: usize = Self::DTYPE.block_elems();
    /// Bytes in a block.
    const BYTES: usize = Self::DTYPE.block_bytes();
    /// The activation block that it is multiplied with; it has as many elements.
    type Act: ActivationBlock;
    /// What is added besides the product of quants.
    const OFFSET: Offset = Offset::None;
    /// How many minima a block has: 8, 16 or, without [`Offset::Minima`], 0.
    const MINIMA: usize = 0;
    /// Elements, a divisor of [`ELEMS`](Self::ELEMS), whose products with activation quants (at most 127 in magnitude)
    /// always sum to less than 2^24 in magnitude, so that `f32` adds them exactly in any order.
    const EXACT: usize = Self::ELEMS;

    /// Whether [`RowLanes`] hands over quants times the scales of their parts; a block has no parts then.
    const FOLDED: bool = false;

    /// What is taken from a quant as [`RowLanes`] hands it over, so that with it all quants are 0 to 255.
    const BIAS: i16 = 0;

    /// Writes the block's [`ELEMS`](Self::ELEMS) values, the bits of ggml's `dequantize_row_*`.
    fn decode(block: &[u8], out: &mut [f32]);

    /// Writes the block's [`ELEMS`](Self::ELEMS) integer weights: quants less their bias, times the scale of their
    /// sub-block out of [`sub_scales`](Self::sub_scales).
    fn unpack(block: &[u8], sub_scales: &SubScales, out: &mut [i16]);

    /// The integer scales of the sub-blocks; unused by types of 32 elements.
    #[inline(always)]
    fn sub_scales(_block: &[u8]) -> SubScales {
        [0; 16]
    }

    /// The bits of the scale, which multiplies all integer weights of the block.
    fn scale(block: &[u8]) -> u16;

    /// What the bits of a scale stand for: half precision, unless the type says otherwise.
    #[inline(always)]
    fn scale_value(bits: u16) -> f32 {
        f16_to_f32(bits)
    }

    /// The half-precision bits of `m` for [`Offset::Constant`], of `dmin` for [`Offset::Minima`]; else 0.
    #[inline(always)]
    fn offset(_block: &[u8]) -> u16 {
        0
    }

    /// The integer minima, [`MINIMA`](Self::MINIMA) of them.
    #[inline(always)]
    fn minima(_block: &[u8]) -> SubScales {
        [0; 16]
    }
}

/// A block type of activations. The functions on one block panic where it is shorter than [`DType::block_bytes`].
pub trait ActivationBlock: 'static {
    /// The type.
    const DTYPE: DType;
    /// Elements in a block.
    const ELEMS: usize = Self::DTYPE.block_elems();
    /// Bytes in a block.
    const BYTES: usize = Self::DTYPE.block_bytes();

    /// Encodes whole blocks: `x` is any number of them, `out` their bytes. Quants are within -127..=127. A block with a
    /// non-finite value gets the scale NaN, and quants and sums of 0.
    ///
    /// # Panics
    /// If `x` is no whole number of blocks, or `out` has another length than they need.
    #[inline(always)]
    fn encode(x: &[f32], out: &mut [u8]) {
        assert!(x.len().is_multiple_of(Self::ELEMS), "{} elements are no whole number of blocks", x.len());
        assert_eq!(out.len(), x.len() / Self::ELEMS * Self::BYTES, "bytes of {} encoded elements", x.len());
        for (x, out) in x.chunks_exact(Self::ELEMS).zip(out.chunks_exact_mut(Self::BYTES)) {
            Self::encode_block(x, out);
        }
    }

    /// Encodes one block.
    fn encode_block(x: &[f32], out: &mut [u8]);

    /// The scale `d`.
    fn scale(block: &[u8]) -> f32;

    /// The quants, as the bits of `i8`.
    fn quants(block: &[u8]) -> &[u8];

    /// `s`, where the type has it (Q8_1), else 0.
    #[inline(always)]
    fn sum(_block: &[u8]) -> f32 {
        0.0
    }

    /// The sums of 16 quants each, where the type has them (Q8_K), else zeros.
    #[inline(always)]
    fn sums(_block: &[u8]) -> [i16; 16] {
        [0; 16]
    }

    /// Writes the block's values, `d` times the quants.
    #[inline(always)]
    fn decode(block: &[u8], out: &mut [f32]) {
        let d = Self::scale(block);
        for (out, &q) in out.iter_mut().zip(Self::quants(block)) {
            *out = d * f32::from(q as i8);
        }
    }
}

/// The two little-endian bytes at `at`.
#[inline(always)]
fn u16_at(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

/// The half-precision number at `at`.
#[inline(always)]
fn f16_at(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16_at(block, at))
}

/// The single-precision number at `at`.
#[inline(always)]
fn f32_at(block: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}
