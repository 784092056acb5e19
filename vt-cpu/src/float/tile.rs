//! The inner loops of the float matmul: a tile of R weight rows by T tokens, its partial sums in registers.

use crate::arch::Isa;

use super::lanes::{LANES, Lanes, keep_absent, multiply_add};
use super::pairs::{add_products, flushes_nothing, lowest_exponent};
use super::weight::Weight;

/// The partial sums of a tile.
pub(crate) type Sums<const R: usize, const T: usize> = [[Lanes; T]; R];

/// A stretch of K: whole chunks of a weight type, and the elements of a last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) chunks: usize,
    pub(crate) rest: usize,
}

impl Extent {
    /// The extent of `len` elements.
    #[inline(always)]
    pub(crate) fn new<W: Weight>(len: usize) -> Self {
        Self { chunks: len / (LANES * W::STEPS), rest: len % (LANES * W::STEPS) }
    }

    /// The vectors that a row of this extent is packed into.
    #[inline(always)]
    pub(crate) fn vectors<W: Weight>(self) -> usize {
        (self.chunks + usize::from(self.rest > 0)) * W::STEPS
    }
}

/// Packs a row of weights: its whole chunks, then a partial chunk filled up with zeros.
#[inline(always)]
pub(crate) fn pack_weights<I: Isa, W: Weight>(isa: I, row: &[W], to: &mut [Lanes]) {
    let (whole, rest) = row.split_at(row.len() - row.len() % (LANES * W::STEPS));
    let (head, tail) = to.split_at_mut(whole.len() / LANES);
    W::pack(isa, whole, head);
    if !rest.is_empty() {
        W::pack(isa, &pad(rest)[..LANES * W::STEPS], tail);
    }
}

/// Packs a row of activations beside such weights.
#[inline(always)]
pub(crate) fn pack_activations<W: Weight>(row: &[f32], to: &mut [Lanes]) {
    let (whole, rest) = row.split_at(row.len() - row.len() % (LANES * W::STEPS));
    let (head, tail) = to.split_at_mut(whole.len() / LANES);
    W::pack_activations(whole, head);
    if !rest.is_empty() {
        W::pack_activations(&pad(rest)[..LANES * W::STEPS], tail);
    }
}

/// A partial chunk, filled up; no type has chunks of more than 32 elements.
#[inline(always)]
fn pad<E: Copy + Default>(rest: &[E]) -> [E; 2 * LANES] {
    let mut padded = [E::default(); 2 * LANES];
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

/// The packed weight rows of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a, const R: usize> {
    pub(crate) rows: [&'a [Lanes]; R],
    pub(crate) extent: Extent,
    /// The lowest exponent among the weights, for types that flush.
    pub(crate) floor: u32,
}

/// Adds a stretch of K to the sums of a tile. `acts` are packed; `floor` is the lowest exponent among them.
#[inline(always)]
pub(crate) fn accumulate<W: Weight, const R: usize, const T: usize>(
    sums: &mut Sums<R, T>,
    panel: &Panel<R>,
    acts: [&[Lanes]; T],
    floor: u32,
) {
    let Panel { rows, extent, floor: weight_floor } = *panel;
    let whole = extent.chunks * W::STEPS;
    if !W::FLUSHES || flushes_nothing([weight_floor, floor], lowest_exponent(sums.as_flattened())) {
        fused_steps(sums, whole, rows, acts);
    } else {
        flushed_steps(sums, whole, rows, acts);
    }
    for step in 0..if extent.rest > 0 { W::STEPS } else { 0 } {
        partial_step::<W, R, T>(sums, whole + step, W::present(extent.rest, step), rows, acts);
    }
}

/// The first `steps` steps by fused multiply-adds.
#[inline(always)]
fn fused_steps<const R: usize, const T: usize>(
    sums: &mut Sums<R, T>,
    steps: usize,
    rows: [&[Lanes]; R],
    acts: [&[Lanes]; T],
) {
    let rows = rows.map(|row| &row[..steps]);
    let acts = acts.map(|row| &row[..steps]);
    let mut tile = *sums;
    for step in 0..steps {
        for (sums, row) in tile.iter_mut().zip(rows) {
            for (sum, acts) in sums.iter_mut().zip(acts) {
                *sum = multiply_add(sum, &row[step], &acts[step]);
            }
        }
    }
    *sums = tile;
}

/// The first `steps` steps of a flushing type.
#[inline(always)]
fn flushed_steps<const R: usize, const T: usize>(
    sums: &mut Sums<R, T>,
    steps: usize,
    rows: [&[Lanes]; R],
    acts: [&[Lanes]; T],
) {
    for i in 0..R * T {
        let sums = &mut sums[i / T][i % T];
        for (w, a) in rows[i / T][..steps].iter().zip(acts[i % T]) {
            *sums = add_products(sums, w, a);
        }
    }
}

/// A step in which only the first `present` lanes have an element.
#[inline(always)]
fn partial_step<W: Weight, const R: usize, const T: usize>(
    sums: &mut Sums<R, T>,
    step: usize,
    present: usize,
    rows: [&[Lanes]; R],
    acts: [&[Lanes]; T],
) {
    for i in 0..R * T {
        let (sums, w, a) = (&mut sums[i / T][i % T], &rows[i / T][step], &acts[i % T][step]);
        let new = if W::FLUSHES { add_products(sums, w, a) } else { multiply_add(sums, w, a) };
        *sums = keep_absent(sums, &new, present);
    }
}
