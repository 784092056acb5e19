//! Activations as tiles.

use std::marker::PhantomData;
use std::ops::Range;

use vt_core::View;

use crate::block::{ActivationBlock, Offset, WeightBlock};
use crate::quant::dots::{minima_pairs, words};

use super::{Lanes, TILE, chunk_blocks};

/// A slab of activation blocks, chunk after chunk, in a chunk tile after tile of sixteen tokens, in a tile block after
/// block.
/// Of each block the quants, in rows of a tile: 32 bytes, or 64 in four tiles; the scales; and what belongs to the
/// offset: `s`, or pairs of the sums that go with minima, one after the other of each token. Tokens that are missing
/// in the last tile have scales of 0, and else anything.
pub(super) struct Tokens<'a, W> {
    data: &'a [Lanes],
    blocks: usize,
    tokens: usize,
    weights: PhantomData<W>,
}

/// Blocks of sixteen tokens.
pub(super) struct TileChunk<'a, W> {
    data: &'a [Lanes],
    weights: PhantomData<W>,
}

/// A block of sixteen tokens.
pub(super) struct TileBlock<'a> {
    pub(super) quants: &'a [Lanes],
    pub(super) scales: &'a Lanes,
    /// `s` of each, pairs of each, or nothing.
    pub(super) offsets: &'a [Lanes],
}

/// [`Lanes`] of what belongs to the offset.
const fn offsets_size<W: WeightBlock>() -> usize {
    match W::OFFSET {
        Offset::None => 0,
        Offset::Constant => 1,
        Offset::Minima => W::MINIMA / 2,
    }
}

/// [`Lanes`] of one block of sixteen tokens.
pub(super) const fn tile_block_size<W: WeightBlock>() -> usize {
    W::ELEMS / 4 + 1 + offsets_size::<W>()
}

impl<'a, W: WeightBlock> Tokens<'a, W> {
    /// Copies the blocks `range` of the rows of `acts`.
    #[inline(always)]
    pub(super) fn new(acts: View<'_, u8>, range: Range<usize>, scratch: &'a mut [Lanes]) -> Self {
        let (blocks, tokens) = (range.len(), acts.rows());
        let data = &mut scratch[..blocks * tokens.div_ceil(TILE) * tile_block_size::<W>()];
        let bytes = <W::Act as ActivationBlock>::BYTES;
        let acts = acts.slice_cols(range.start * bytes, blocks * bytes);
        for t in 0..tokens {
            for (block, bytes) in acts.row(t).chunks_exact(bytes).enumerate() {
                let at = block_at::<W>((blocks, tokens), block, t / TILE);
                write_block::<W>(bytes, t % TILE, &mut data[at..][..tile_block_size::<W>()]);
            }
        }
        for t in tokens..tokens.next_multiple_of(TILE) {
            for block in 0..blocks {
                let at = block_at::<W>((blocks, tokens), block, t / TILE);
                data[at + W::ELEMS / 4][t % TILE] = 0;
            }
        }
        Self { data, blocks, tokens, weights: PhantomData }
    }

    /// What a tile has of the chunk that starts at block `from`.
    #[inline(always)]
    pub(super) fn chunk(&self, from: usize, tile: usize) -> TileChunk<'a, W> {
        let data = &self.data[block_at::<W>((self.blocks, self.tokens), from, tile)..];
        TileChunk { data, weights: PhantomData }
    }
}

impl<'a, W: WeightBlock> TileChunk<'a, W> {
    /// The blocks of the chunk from `block` on.
    #[inline(always)]
    pub(super) fn from(&self, block: usize) -> &'a [Lanes] {
        &self.data[block * tile_block_size::<W>()..]
    }

    /// A block of the chunk.
    #[inline(always)]
    pub(super) fn block(&self, block: usize) -> TileBlock<'a> {
        let data = &self.from(block)[..tile_block_size::<W>()];
        let (quants, rest) = data.split_at(W::ELEMS / 4);
        TileBlock { quants, scales: &rest[0], offsets: &rest[1..] }
    }
}

/// Where a block of a tile lies in a slab of so many blocks and tokens.
#[inline(always)]
fn block_at<W: WeightBlock>((blocks, tokens): (usize, usize), block: usize, tile: usize) -> usize {
    let from = block / chunk_blocks::<W>() * chunk_blocks::<W>();
    let in_chunk = chunk_blocks::<W>().min(blocks - from);
    (from * tokens.div_ceil(TILE) + tile * in_chunk + block - from) * tile_block_size::<W>()
}

/// Token `t` of a tile.
#[inline(always)]
fn write_block<W: WeightBlock>(block: &[u8], t: usize, data: &mut [Lanes]) {
    let (quants, rest) = data.split_at_mut(W::ELEMS / 4);
    let (scales, offsets) = rest.split_at_mut(1);
    write_quants::<W>(W::Act::quants(block), t, quants.as_flattened_mut());
    scales[0][t] = W::Act::scale(block).to_bits() as i32;
    match W::OFFSET {
        Offset::None => {}
        Offset::Constant => offsets[0][t] = W::Act::sum(block).to_bits() as i32,
        Offset::Minima => {
            let pairs = W::MINIMA / 2;
            minima_pairs::<W>(block, &mut offsets.as_flattened_mut()[t * pairs..][..pairs]);
        }
    }
}

#[inline(always)]
fn write_quants<W: WeightBlock>(from: &[u8], t: usize, quants: &mut [i32]) {
    let row = W::ELEMS.min(64) / 4;
    for (tile, from) in quants.chunks_exact_mut(TILE * row).zip(from.chunks_exact(4 * row)) {
        let to = tile[t * row..][..row].as_chunks_mut::<8>().0;
        for (to, from) in to.iter_mut().zip(from.as_chunks::<32>().0) {
            *to = words(from);
        }
    }
}
