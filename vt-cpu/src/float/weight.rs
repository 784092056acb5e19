//! The float types that weights have: how a chunk of each is laid out as vectors of sixteen, and how products are added.

use half::{bf16, f16};
use vt_core::Elem;

use crate::arch::Isa;

use super::half::{bf16_to_f32, round_to_bf16};
use super::lanes::{LANES, Lanes};
use super::pairs::{Floor, flush_lanes, halves, split};

/// Elements that are laid out together.
pub(super) const CHUNK: usize = 2 * LANES;

/// The vectors of a chunk, of which the first [`steps`] are used.
pub(super) type Vectors = [Lanes; 2];

/// An element type of weights.
pub trait Weight: Elem + Default {
    /// Minus zero. Its product with zero changes no sum, not even the sign of a zero: so absent elements are skipped.
    const ABSENT: Self;

    /// Whether products are those of [`pairs`](super::pairs).
    const PAIRS: bool = false;

    /// The values of sixteen elements.
    fn widen<I: Isa>(isa: I, elements: &[Self; LANES]) -> Lanes;

    /// A chunk as vectors; it is taken into `floor`, for types whose results are flushed.
    #[inline(always)]
    fn weights<I: Isa>(isa: I, chunk: &[Self; CHUNK], floor: &mut Floor) -> Vectors {
        let _ = floor;
        let [low, high] = chunk.as_chunks().0 else { unreachable!("two vectors") };
        [Self::widen(isa, low), Self::widen(isa, high)]
    }

    /// The same vectors, but denormal numbers may stay as they are.
    #[inline(always)]
    fn unflushed<I: Isa>(isa: I, chunk: &[Self; CHUNK]) -> Vectors {
        Self::weights(isa, chunk, &mut Floor::new())
    }

    /// Takes a chunk into `floor`, for types whose results are flushed.
    #[inline(always)]
    fn lower<I: Isa>(_: I, _: &[Self; CHUNK], _: &mut Floor) {}

    /// A chunk of activations beside it.
    #[inline(always)]
    fn activations<I: Isa>(chunk: &[f32; CHUNK]) -> Vectors {
        let [low, high] = chunk.as_chunks().0 else { unreachable!("two vectors") };
        [*low, *high]
    }
}

/// The values of a row, filled up with zeros to whole vectors.
#[inline(always)]
pub(crate) fn widen_row<I: Isa, W: Weight>(isa: I, row: &[W], to: &mut [Lanes]) {
    let (whole, rest) = row.as_chunks();
    for (to, elements) in to.iter_mut().zip(whole) {
        *to = W::widen(isa, elements);
    }
    if !rest.is_empty() {
        let mut padded = [W::default(); LANES];
        padded[..rest.len()].copy_from_slice(rest);
        to[whole.len()] = W::widen(isa, &padded);
    }
}

/// The chunks of a row: whole ones, and the rest filled up with `absent`, if there is one.
#[inline(always)]
pub(super) fn chunks<E: Copy>(row: &[E], absent: E) -> (&[[E; CHUNK]], Option<[E; CHUNK]>) {
    let (whole, rest) = row.as_chunks();
    let mut padded = [absent; CHUNK];
    padded[..rest.len()].copy_from_slice(rest);
    (whole, (!rest.is_empty()).then_some(padded))
}

/// Vectors of a chunk: each step adds one product to each of sixteen partial sums, or a pair of them.
#[inline(always)]
pub(super) const fn steps<I: Isa, W: Weight>() -> usize {
    if adds_pairs::<I, W>() { 1 } else { 2 }
}

/// Writes a chunk's vectors in place `i` of its steps.
#[inline(always)]
pub(super) fn put<const N: usize>(steps: &mut [[Lanes; N]], i: usize, vectors: &Vectors) {
    if let Some(step) = steps.first_mut() {
        step[i] = vectors[0];
    }
    if let Some(step) = steps.get_mut(1) {
        step[i] = vectors[1];
    }
}

/// Vectors of a row.
#[inline(always)]
pub(super) const fn vectors<I: Isa, W: Weight>(k: usize) -> usize {
    k.div_ceil(CHUNK) * steps::<I, W>()
}

/// Whether sums below the normal range are to be made zeros by the kernel.
#[inline(always)]
pub(super) const fn flushes<I: Isa, W: Weight>() -> bool {
    W::PAIRS && !I::PAIRS
}

/// Whether a step adds pairs of products, by an instruction.
#[inline(always)]
pub(super) const fn adds_pairs<I: Isa, W: Weight>() -> bool {
    W::PAIRS && I::PAIRS
}

impl Weight for f32 {
    const ABSENT: Self = -0.0;

    #[inline(always)]
    fn widen<I: Isa>(_: I, elements: &Lanes) -> Lanes {
        *elements
    }
}

impl Weight for f16 {
    const ABSENT: Self = f16::NEG_ZERO;

    #[inline(always)]
    fn widen<I: Isa>(isa: I, elements: &[f16; LANES]) -> Lanes {
        isa.widen(elements)
    }
}

impl Weight for bf16 {
    const ABSENT: Self = bf16::NEG_ZERO;
    const PAIRS: bool = true;

    #[inline(always)]
    fn widen<I: Isa>(_: I, elements: &[bf16; LANES]) -> Lanes {
        let mut wide = [0.0; LANES];
        for (wide, x) in wide.iter_mut().zip(elements) {
            *wide = bf16_to_f32(*x);
        }
        wide
    }

    #[inline(always)]
    fn weights<I: Isa>(isa: I, chunk: &[bf16; CHUNK], floor: &mut Floor) -> Vectors {
        Self::lower(isa, chunk, floor);
        let [odd, even] = Self::unflushed(isa, chunk);
        if I::PAIRS { [odd, even] } else { [flush_lanes(&odd), flush_lanes(&even)] }
    }

    #[inline(always)]
    fn unflushed<I: Isa>(_: I, chunk: &[bf16; CHUNK]) -> Vectors {
        let mut pairs = [0.0; LANES];
        for (pair, [even, odd]) in pairs.iter_mut().zip(chunk.as_chunks::<2>().0) {
            *pair = f32::from_bits(u32::from(even.to_bits()) | u32::from(odd.to_bits()) << 16);
        }
        if I::PAIRS { [pairs, pairs] } else { halves(&pairs) }
    }

    #[inline(always)]
    fn lower<I: Isa>(isa: I, chunk: &[bf16; CHUNK], floor: &mut Floor) {
        if flushes::<I, Self>() {
            floor.lower(isa, chunk);
        }
    }

    #[inline(always)]
    fn activations<I: Isa>(chunk: &[f32; CHUNK]) -> Vectors {
        let mut pairs = [0.0; LANES];
        for (pair, [even, odd]) in pairs.iter_mut().zip(chunk.as_chunks::<2>().0) {
            *pair = f32::from_bits(round_to_bf16(*even).to_bits() >> 16 | round_to_bf16(*odd).to_bits());
        }
        if I::PAIRS { [pairs, pairs] } else { split(&pairs) }
    }
}
