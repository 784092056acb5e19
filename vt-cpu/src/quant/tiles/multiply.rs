//! Tiles of sixteen tokens by sixteen weight rows: exact sums of integers, and the float operations of a block.

use crate::arch::{Avx512, SCALED_BLOCKS, Sums, Tiles, Vector, Words};
use crate::block::{Offset, RowLanes};
use crate::quant::dots::{floats, store_floats};

use super::panel::{Panel, PanelBlock, high, signed, split};
use super::tokens::{TileBlock, TileChunk, Tokens};
use super::{Lanes, TILE, VECTORS};

type Float = <Avx512 as Words>::Float;

/// Room for the integer sums of four tiles.
pub(super) type Ints = [Sums; 4];

/// The sums of a tile, as the bits of `f32`: a vector for each token.
pub(super) type TileSums = [Lanes; TILE];

/// What multiplies: the vectors, the tiles, and room for what they give.
pub(super) struct Multiplier<'a> {
    pub(super) v: Avx512,
    pub(super) tiles: &'a Tiles,
    pub(super) ints: &'a mut Ints,
}

/// The most pairs of minima.
const MAX_PAIRS: usize = 8;

impl Multiplier<'_> {
    /// Adds the products of a chunk, which starts at block `from` of the slab, and of as many tiles of tokens as there are
    /// sums, one or two, from `tile` on.
    #[inline(always)]
    pub(super) fn chunk<W: RowLanes>(
        &mut self,
        panel: &Panel<'_, W>,
        (tokens, from, tile): (&Tokens<'_, W>, usize, usize),
        sums: &mut [[TileSums; VECTORS]],
    ) {
        if W::ELEMS == 32 {
            for (i, sums) in sums.iter_mut().enumerate() {
                let acts = tokens.chunk(from, tile + i);
                for vector in 0..panel.vectors() {
                    self.blocks_of_32(panel, vector, &acts, &mut sums[vector]);
                }
            }
            return;
        }
        for block in 0..panel.blocks() {
            let acts = tokens.chunk(from, tile).block(block);
            match sums {
                [first, second] => {
                    let acts = [acts, tokens.chunk(from, tile + 1).block(block)];
                    self.block_of_256(panel, block, acts, [first, second]);
                }
                [only] => self.block_of_256(panel, block, [acts], [only]),
                _ => {}
            }
        }
    }

    /// As many blocks at once as [`Tiles::add_scaled_blocks`] takes, then the others one by one.
    #[inline(always)]
    fn blocks_of_32<W: RowLanes>(
        &mut self,
        panel: &Panel<'_, W>,
        vector: usize,
        acts: &TileChunk<'_, W>,
        sums: &mut TileSums,
    ) {
        let mut block = 0;
        while block + SCALED_BLOCKS <= panel.blocks() {
            let (acts, weights) = (acts.from(block), panel.from(block, vector));
            if W::OFFSET == Offset::None {
                self.tiles.add_scaled_blocks::<false>(acts, weights, self.ints, sums);
            } else {
                self.tiles.add_scaled_blocks::<true>(acts, weights, self.ints, sums);
            }
            block += SCALED_BLOCKS;
        }
        while block < panel.blocks() {
            let (acts, weights) = (acts.block(block), panel.block(block, vector));
            self.tiles.multiply_32(tile_of_32(acts.quants), first_chunk(weights.quants), &mut self.ints[0]);
            add_block_of_32::<W>(self.v, &weights, &acts, &self.ints[0], sums);
            block += 1;
        }
    }

    #[inline(always)]
    fn block_of_256<W: RowLanes, const A: usize>(
        &mut self,
        panel: &Panel<'_, W>,
        block: usize,
        acts: [TileBlock<'_>; A],
        sums: [&mut [TileSums; VECTORS]; A],
    ) {
        let weights = [panel.block(block, 0), panel.block(block, 1)];
        if split::<W>() {
            for vector in 0..panel.vectors() {
                self.multiply::<W, A>(&acts, [weights[vector].quants, weights[vector].low]);
                for i in 0..A {
                    let ints = [&self.ints[2 * i], &self.ints[2 * i + 1]];
                    add_block_of_256::<W>(self.v, &weights[vector], &acts[i], ints, &mut sums[i][vector]);
                }
            }
        } else {
            self.multiply::<W, A>(&acts, [weights[0].quants, weights[1].quants]);
            for i in 0..A {
                for vector in 0..panel.vectors() {
                    let ints = &self.ints[2 * i + vector];
                    add_block_of_256::<W>(self.v, &weights[vector], &acts[i], [ints; 2], &mut sums[i][vector]);
                }
            }
        }
    }

    /// The integer sums of up to two tiles of tokens and two of weights.
    #[inline(always)]
    fn multiply<W: RowLanes, const A: usize>(&mut self, acts: &[TileBlock<'_>; A], weights: [&[Lanes]; 2]) {
        let weights = [first_chunk(weights[0]), first_chunk(weights[1])];
        let first = first_chunk(acts[0].quants);
        let second = first_chunk(acts[A - 1].quants);
        match (A, signed::<W>()) {
            (1, false) => self.tiles.multiply_half_blocks::<false>(first, weights, self.ints),
            (1, true) => self.tiles.multiply_half_blocks::<true>(first, weights, self.ints),
            (_, false) => self.tiles.multiply_blocks::<false>([first, second], weights, self.ints),
            (_, true) => self.tiles.multiply_blocks::<true>([first, second], weights, self.ints),
        }
    }
}

#[inline(always)]
fn tile_of_32(quants: &[Lanes]) -> &[[i32; 8]; 16] {
    first_chunk(quants.as_flattened().as_chunks().0)
}

#[inline(always)]
fn first_chunk<T, const N: usize>(slice: &[T]) -> &[T; N] {
    &slice.as_chunks().0[0]
}

#[inline(always)]
fn float(v: Avx512, bits: i32) -> Float {
    v.float(f32::from_bits(bits as u32))
}

/// The float operations of a block of sixteen tokens and sixteen rows.
#[inline(always)]
fn add_block_of_32<W: RowLanes>(
    v: Avx512,
    weights: &PanelBlock<'_>,
    acts: &TileBlock<'_>,
    ints: &Sums,
    sums: &mut TileSums,
) {
    let scale = floats(v, weights.scale);
    for t in 0..TILE {
        let factor = v.multiply(scale, float(v, acts.scales[t]));
        let mut sum = v.multiply_add(factor, v.to_floats(v.ints(&ints.0[t])), floats(v, &sums[t]));
        if W::OFFSET == Offset::Constant {
            sum = v.multiply_add(floats(v, &weights.offset[0]), float(v, acts.offsets[0][t]), sum);
        }
        store_floats(v, sum, &mut sums[t]);
    }
}

/// The same of a block of 256. `low` are those of low parts, if there are any.
#[inline(always)]
fn add_block_of_256<W: RowLanes>(
    v: Avx512,
    weights: &PanelBlock<'_>,
    acts: &TileBlock<'_>,
    [ints, low]: [&Sums; 2],
    sums: &mut TileSums,
) {
    let pairs = W::MINIMA / 2;
    let (scale, mut offset, mut minima) = (floats(v, weights.scale), v.float(0.0), [v.int(0); MAX_PAIRS]);
    if W::OFFSET == Offset::Minima {
        offset = floats(v, &weights.offset[0]);
        for pair in 0..pairs {
            minima[pair] = v.ints(&weights.minima[pair]);
        }
    }
    let act_pairs = &acts.offsets.as_flattened()[..TILE * pairs];
    for t in 0..TILE {
        let mut total = v.ints(&ints.0[t]);
        if split::<W>() {
            total = v.add_ints(v.shift_left(total, high::<W>()), v.ints(&low.0[t]));
        }
        let act = float(v, acts.scales[t]);
        let mut acc = v.multiply_add(v.multiply(scale, act), v.to_floats(total), floats(v, &sums[t]));
        if W::OFFSET == Offset::Minima {
            let mut sum = v.int(0);
            for pair in 0..pairs {
                sum = v.dot_halves(sum, minima[pair], v.int(act_pairs[t * pairs + pair]));
            }
            acc = v.multiply_add(v.multiply(offset, act), v.to_floats(sum), acc);
        }
        store_floats(v, acc, &mut sums[t]);
    }
}
