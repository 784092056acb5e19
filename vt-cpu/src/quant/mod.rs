//! Matmuls of quantized activations with block weights, in the one order of float operations that defines their bits.
//!
//! An output is one `f32` accumulator that starts at +0 and takes the blocks of its row in ascending order. With `I` the
//! exact integer sum of a block's products, rounded to `f32` (nearest, ties to even), `dw` and `da` the scales of weight
//! and activation block, each product of scales rounded once and each `fma` rounded once:
//!
//! ```text
//! acc = fma(dw * da, I, acc)
//! acc = fma(-(dmin * da), M, acc)     Q2_K Q4_K Q5_K: M, the exact sum of minimum times activation sum, as f32
//! acc = fma(m, s, acc)                Q4_1 Q5_1
//! ```
//!
//! There are several roads to the same bits. Where a tier has dot products of bytes, `dots` takes any number of activation
//! rows: it unpacks 32 weight rows into lanes, as bytes, and streams tiles of activations past them. The other tiers have
//! two: [`few_rows`] reads each weight row once, as a stream, and takes the integer sums as `i16` products with K in the
//! lanes; [`panels`] unpacks 16 weight rows into lanes and multiplies in `f32`, which is exact as long as sums stay below
//! 2^24.
//!
//! All take activation blocks whose sums belong to their quants. A quant may be -128, which
//! [`ActivationBlock::encode`](crate::block::ActivationBlock::encode) never makes. Weight blocks may hold any bytes.

#![allow(clippy::needless_range_loop, reason = "several arrays of lanes are read at one index")]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod ahead;
#[cfg(target_arch = "x86_64")]
mod dots;
mod exact_sum;
mod expanded;
mod few_rows;
mod group;
mod many_rows;
mod panel;
mod panels;
#[cfg(target_arch = "aarch64")]
mod quads;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod tokens;

use vt_core::{View, ViewMut};

use crate::block::{ActivationBlock, WeightBlock, f16_to_f32};

pub use few_rows::{few_rows, few_rows_scratch};
pub use many_rows::ManyRows;

/// Parts of a block that have scales of their own.
const fn parts<W: WeightBlock>() -> usize {
    if W::ELEMS == 32 || W::FOLDED {
        1
    } else if W::MINIMA == 8 {
        8
    } else {
        16
    }
}

/// What the second step of the rule adds by, of the bits of a block's [`offset`](WeightBlock::offset): `m`, or `-dmin`.
#[inline(always)]
fn signed_offset<W: WeightBlock>(bits: u16) -> f32 {
    let offset = f16_to_f32(bits);
    if W::MINIMA > 0 { -offset } else { offset }
}

/// Checks that weights `[n, K]`, activations `[m, K]` and outputs `[m, n]` belong together; the blocks of a row.
#[inline(always)]
fn blocks_per_row<W: WeightBlock>(weights: &View<u8>, acts: &View<u8>, out: &ViewMut<f32>) -> usize {
    let blocks = weights.cols() / W::BYTES;
    assert_eq!(weights.cols(), blocks * W::BYTES, "a weight row is whole {} blocks", W::DTYPE);
    assert_eq!(acts.cols(), blocks * <W::Act as ActivationBlock>::BYTES, "an activation row has the weights' blocks");
    assert_eq!((out.rows(), out.cols()), (acts.rows(), weights.rows()), "outputs are activation rows by weight rows");
    blocks
}
