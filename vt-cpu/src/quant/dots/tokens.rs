//! Activations as the dot products of bytes want them.

use std::ops::Range;

use vt_core::View;

use crate::block::{ActivationBlock, MAX_ELEMS, Offset, WeightBlock};

use super::{chunk_blocks, tile::parts};
use crate::quant::expanded::part_sums;

/// Tokens of a tile.
pub(super) const TOKENS: usize = 6;

/// A slab of activation blocks, chunk after chunk, in a chunk group after group of [`TOKENS`], in a group block after
/// block. Of each block all tokens' quants as words of four, then of each token its scale's bits, where sums of its
/// parts start, and what belongs to the offset: `s`, or pairs of the sums that go with minima. Missing tokens of the
/// last group and missing blocks of the last chunk hold anything.
pub(super) struct Tokens<'a, W> {
    data: &'a [i32],
    blocks: usize,
    groups: usize,
    weights: std::marker::PhantomData<W>,
}

/// Words of a token beside quants and scale.
const fn starts<W: WeightBlock>() -> usize {
    if W::BIAS == 0 { 0 } else { parts::<W>() }
}

const fn offsets<W: WeightBlock>() -> usize {
    match W::OFFSET {
        Offset::None => 0,
        Offset::Constant => 1,
        Offset::Minima => W::MINIMA / 2,
    }
}

/// Words of one token's block.
pub(super) const fn token_block_size<W: WeightBlock>() -> usize {
    W::ELEMS / 4 + 1 + starts::<W>() + offsets::<W>()
}

/// One group's chunk.
pub(super) struct TokenChunk<'a, W> {
    data: &'a [i32],
    weights: std::marker::PhantomData<W>,
}

/// One group's block.
pub(super) struct TokenBlock<'a> {
    /// `[token][word]`
    pub(super) quants: &'a [i32],
    pub(super) scales: &'a [i32],
    /// `[token][part]`, or nothing.
    pub(super) starts: &'a [i32],
    /// `[token][pair]`, `[token]`, or nothing.
    pub(super) offsets: &'a [i32],
}

impl<'a, W: WeightBlock> Tokens<'a, W> {
    /// Copies the blocks `range` of the rows of `acts`.
    #[inline(always)]
    pub(super) fn new(acts: View<'_, u8>, range: Range<usize>, scratch: &'a mut [i32]) -> Self {
        let (blocks, groups) = (range.len(), acts.rows().div_ceil(TOKENS));
        let size = TOKENS * token_block_size::<W>();
        let chunks = blocks.div_ceil(chunk_blocks::<W>());
        let data = &mut scratch[..chunks * groups * chunk_blocks::<W>() * size];
        for t in 0..acts.rows() {
            let row = &acts.row(t)[range.start * <W::Act as ActivationBlock>::BYTES..];
            for (b, block) in row.chunks_exact(<W::Act as ActivationBlock>::BYTES).take(blocks).enumerate() {
                let (chunk, b) = (b / chunk_blocks::<W>(), b % chunk_blocks::<W>());
                let at = ((chunk * groups + t / TOKENS) * chunk_blocks::<W>() + b) * size;
                write_block::<W>(block, t % TOKENS, &mut data[at..at + size]);
            }
        }
        Self { data, blocks, groups, weights: std::marker::PhantomData }
    }

    /// Groups of tokens.
    #[inline(always)]
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Chunks of the slab.
    #[inline(always)]
    pub(super) fn chunks(&self) -> usize {
        self.blocks.div_ceil(chunk_blocks::<W>())
    }

    /// What group `group` has of chunk `chunk`.
    #[inline(always)]
    pub(super) fn chunk(&self, chunk: usize, group: usize) -> TokenChunk<'a, W> {
        let size = chunk_blocks::<W>() * TOKENS * token_block_size::<W>();
        let data = &self.data[(chunk * self.groups + group) * size..][..size];
        TokenChunk { data, weights: std::marker::PhantomData }
    }
}

impl<'a, W: WeightBlock> TokenChunk<'a, W> {
    /// The blocks of the chunk.
    #[inline(always)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = TokenBlock<'a>> {
        self.data.chunks_exact(TOKENS * token_block_size::<W>()).map(|data| {
            let (quants, rest) = data.split_at(TOKENS * W::ELEMS / 4);
            let (scales, rest) = rest.split_at(TOKENS);
            let (starts, offsets) = rest.split_at(TOKENS * starts::<W>());
            TokenBlock { quants, scales, starts, offsets }
        })
    }
}

#[inline(always)]
fn write_block<W: WeightBlock>(block: &[u8], t: usize, data: &mut [i32]) {
    let (quants, rest) = data.split_at_mut(TOKENS * W::ELEMS / 4);
    let (scales, rest) = rest.split_at_mut(TOKENS);
    let (starts, offsets) = rest.split_at_mut(TOKENS * starts::<W>());
    let from = W::Act::quants(block);
    for (to, from) in quants[t * W::ELEMS / 4..][..W::ELEMS / 4].iter_mut().zip(from.as_chunks::<4>().0) {
        *to = i32::from_le_bytes(*from);
    }
    scales[t] = W::Act::scale(block).to_bits() as i32;
    if W::BIAS != 0 {
        let starts = &mut starts[t * parts::<W>()..][..parts::<W>()];
        for (start, part) in starts.iter_mut().zip(from.chunks_exact(W::ELEMS / parts::<W>())) {
            *start = -i32::from(W::BIAS) * part.iter().map(|&q| i32::from(q as i8)).sum::<i32>();
        }
    }
    match W::OFFSET {
        Offset::None => {}
        Offset::Constant => offsets[t] = W::Act::sum(block).to_bits() as i32,
        Offset::Minima => {
            let mut sums = [0; MAX_ELEMS / 16];
            part_sums(&W::Act::sums(block), &mut sums[..W::MINIMA]);
            let offsets = &mut offsets[t * W::MINIMA / 2..][..W::MINIMA / 2];
            for (to, &[low, high]) in offsets.iter_mut().zip(sums.as_chunks().0) {
                *to = i32::from(low as u16) | (i32::from(high) << 16);
            }
        }
    }
}
