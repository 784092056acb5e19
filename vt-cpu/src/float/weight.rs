//! The float types that weights have: how a row of each is laid out as vectors of sixteen.

use half::{bf16, f16};
use vt_core::Elem;

use crate::arch::Isa;

use super::half::round_to_bf16;
use super::lanes::{LANES, Lanes};
use super::pairs::flush;

/// An element type of weights.
///
/// A row is taken in chunks of `16 * STEPS` elements; each chunk makes `STEPS` steps, and each step adds one product to
/// each of the sixteen partial sums.
pub trait Weight: Elem + Default {
    /// Steps in a chunk.
    const STEPS: usize;
    /// Whether sums below the normal range become zeros.
    const FLUSHES: bool;

    /// Writes whole chunks of a row as the vectors of their steps.
    fn pack<I: Isa>(isa: I, row: &[Self], to: &mut [Lanes]);

    /// Writes whole chunks of a row of activations beside it, as the vectors of their steps.
    fn pack_activations(row: &[f32], to: &mut [Lanes]);

    /// In how many lanes step `step` has an element, where only `len` elements of the chunk are present.
    fn present(len: usize, step: usize) -> usize;
}

macro_rules! one_step {
    ($t:ty, $widen:expr) => {
        impl Weight for $t {
            const STEPS: usize = 1;
            const FLUSHES: bool = false;

            #[inline(always)]
            fn pack<I: Isa>(isa: I, row: &[Self], to: &mut [Lanes]) {
                for (to, row) in to.iter_mut().zip(row.as_chunks().0) {
                    *to = $widen(isa, row);
                }
            }

            #[inline(always)]
            fn pack_activations(row: &[f32], to: &mut [Lanes]) {
                to.as_flattened_mut().copy_from_slice(row);
            }

            #[inline(always)]
            fn present(len: usize, _step: usize) -> usize {
                len
            }
        }
    };
}

one_step!(f32, |_, row: &Lanes| *row);
one_step!(f16, I::widen);

/// A chunk's steps: first the odd elements, which are the upper halves of its pairs, then the even ones.
#[inline(always)]
fn split_pairs(pairs: &[u32; LANES]) -> [Lanes; 2] {
    let mut steps = [[0.0; LANES]; 2];
    for (l, pair) in pairs.iter().enumerate() {
        steps[0][l] = flush(f32::from_bits(pair & 0xffff_0000));
        steps[1][l] = flush(f32::from_bits(pair << 16));
    }
    steps
}

impl Weight for bf16 {
    const STEPS: usize = 2;
    const FLUSHES: bool = true;

    #[inline(always)]
    fn pack<I: Isa>(_: I, row: &[Self], to: &mut [Lanes]) {
        for (chunk, to) in row.as_chunks::<{ 2 * LANES }>().0.iter().zip(to.as_chunks_mut::<2>().0) {
            let mut pairs = [0; LANES];
            for (pair, [even, odd]) in pairs.iter_mut().zip(chunk.as_chunks::<2>().0) {
                *pair = u32::from(even.to_bits()) | u32::from(odd.to_bits()) << 16;
            }
            *to = split_pairs(&pairs);
        }
    }

    #[inline(always)]
    fn pack_activations(row: &[f32], to: &mut [Lanes]) {
        for (chunk, to) in row.as_chunks::<{ 2 * LANES }>().0.iter().zip(to.as_chunks_mut::<2>().0) {
            let mut pairs = [0; LANES];
            for (pair, [even, odd]) in pairs.iter_mut().zip(chunk.as_chunks::<2>().0) {
                *pair = round_to_bf16(*even).to_bits() >> 16 | round_to_bf16(*odd).to_bits();
            }
            *to = split_pairs(&pairs);
        }
    }

    #[inline(always)]
    fn present(len: usize, step: usize) -> usize {
        (len + step) / 2
    }
}
