//! Activations as the dot products of bytes want them.

use std::marker::PhantomData;
use std::ops::Range;

use vt_core::View;

use crate::block::{ActivationBlock, MAX_ELEMS, Offset, WeightBlock};

use super::chunk_blocks;
use crate::quant::{expanded::part_sums, parts};

/// A slab of activation blocks, chunk after chunk, in a chunk group after group of tokens, in a group block after block.
/// Of each block all tokens' quants as words of four, then of each token its scale's bits, where sums of its parts
/// start, and what belongs to the offset: `s`, or pairs of the sums that go with minima.
pub(super) struct Tokens<'a, W> {
    data: &'a [i32],
    blocks: usize,
    tokens: usize,
    weights: PhantomData<W>,
}

/// `tokens` in groups of nearly one size, at most T: the first of each, and how many.
#[inline(always)]
pub(super) fn groups<const T: usize>(tokens: usize) -> impl Iterator<Item = (usize, usize)> {
    let groups = tokens.div_ceil(T);
    let first = move |group: usize| group * tokens / groups;
    (0..groups).map(move |group| (first(group), first(group + 1) - first(group)))
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
    weights: PhantomData<W>,
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
    /// Copies the blocks `range` of the rows of `acts`, for tiles of up to T tokens.
    #[inline(always)]
    pub(super) fn new<const T: usize>(acts: View<'_, u8>, range: Range<usize>, scratch: &'a mut [i32]) -> Self {
        let (blocks, tokens) = (range.len(), acts.rows());
        let data = &mut scratch[..blocks * tokens * token_block_size::<W>()];
        let bytes = <W::Act as ActivationBlock>::BYTES;
        let acts = acts.slice_cols(range.start * bytes, blocks * bytes);
        // Group by group: the rows of a few tokens are read as streams.
        for group in groups::<T>(tokens) {
            for from in (0..blocks).step_by(chunk_blocks::<W>()) {
                let chunk = &mut data[chunk_range::<W>((blocks, tokens), from, group)];
                for t in 0..group.1 {
                    let row = &acts.row(group.0 + t)[from * bytes..];
                    for (block, data) in
                        row.chunks_exact(bytes).zip(chunk.chunks_exact_mut(group.1 * token_block_size::<W>()))
                    {
                        write_block::<W>(block, (t, group.1), data);
                    }
                }
            }
        }
        Self { data, blocks, tokens, weights: PhantomData }
    }

    /// One block of a slab of `T` tokens, which are one group.
    #[inline(always)]
    pub(super) fn block<const T: usize>(&self, block: usize) -> TokenBlock<'a> {
        block_of::<W, T>(self.data, block)
    }

    /// What a group has of the chunk that starts at block `from`.
    #[inline(always)]
    pub(super) fn chunk(&self, from: usize, group: (usize, usize)) -> TokenChunk<'a, W> {
        let range = chunk_range::<W>((self.blocks, self.tokens), from, group);
        TokenChunk { data: &self.data[range], weights: PhantomData }
    }
}

impl<'a, W: WeightBlock> TokenChunk<'a, W> {
    /// A block of the chunk, of a group of `T` tokens.
    #[inline(always)]
    pub(super) fn block<const T: usize>(&self, block: usize) -> TokenBlock<'a> {
        block_of::<W, T>(self.data, block)
    }
}

#[inline(always)]
fn block_of<W: WeightBlock, const T: usize>(data: &[i32], block: usize) -> TokenBlock<'_> {
    let size = T * token_block_size::<W>();
    let (quants, rest) = data[block * size..][..size].split_at(T * W::ELEMS / 4);
    let (scales, rest) = rest.split_at(T);
    let (starts, offsets) = rest.split_at(T * starts::<W>());
    TokenBlock { quants, scales, starts, offsets }
}

/// Where the chunk that starts at block `from` of a group of tokens lies in a slab of so many blocks and tokens.
#[inline(always)]
fn chunk_range<W: WeightBlock>(
    (blocks, tokens): (usize, usize),
    from: usize,
    (first, count): (usize, usize),
) -> Range<usize> {
    let in_chunk = chunk_blocks::<W>().min(blocks - from);
    let start = (from * tokens + in_chunk * first) * token_block_size::<W>();
    start..start + in_chunk * count * token_block_size::<W>()
}

/// Token `t` of a group of `tokens`.
#[inline(always)]
fn write_block<W: WeightBlock>(block: &[u8], (t, tokens): (usize, usize), data: &mut [i32]) {
    let (quants, rest) = data.split_at_mut(tokens * W::ELEMS / 4);
    let (scales, rest) = rest.split_at_mut(tokens);
    let (starts, offsets) = rest.split_at_mut(tokens * starts::<W>());
    let from = W::Act::quants(block);
    let to = quants[t * W::ELEMS / 4..][..W::ELEMS / 4].as_chunks_mut::<8>().0;
    for (to, from) in to.iter_mut().zip(from.as_chunks::<32>().0) {
        *to = words(from);
    }
    scales[t] = W::Act::scale(block).to_bits() as i32;
    if W::BIAS != 0 {
        let starts = &mut starts[t * parts::<W>()..][..parts::<W>()];
        if parts::<W>() == 1 {
            starts[0] = -i32::from(W::BIAS) * sum(from);
        } else {
            for (start, sum) in starts.iter_mut().zip(W::Act::sums(block)) {
                *start = -i32::from(W::BIAS) * i32::from(sum);
            }
        }
    }
    match W::OFFSET {
        Offset::None => {}
        Offset::Constant => offsets[t] = W::Act::sum(block).to_bits() as i32,
        Offset::Minima => {
            minima_pairs::<W>(block, &mut offsets[t * W::MINIMA / 2..][..W::MINIMA / 2]);
        }
    }
}

/// Pairs of the sums that go with minima, in the order of a panel's minima.
#[inline(always)]
pub(in crate::quant) fn minima_pairs<W: WeightBlock>(block: &[u8], pairs: &mut [i32]) {
    let mut sums = [0; MAX_ELEMS / 16];
    part_sums(&W::Act::sums(block), &mut sums[..W::MINIMA]);
    for (to, &[a, b, c, d]) in pairs.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
        *to = [pair(a, c), pair(b, d)];
    }
}

/// A whole array at once: word by word the compiler would not use vectors.
#[inline(always)]
pub(in crate::quant) fn words(bytes: &[u8; 32]) -> [i32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = i32::from_le_bytes(*bytes);
    }
    words
}

#[inline(always)]
fn sum(quants: &[u8]) -> i32 {
    quants.iter().map(|&q| i32::from(q as i8)).sum()
}

#[inline(always)]
fn pair(low: i16, high: i16) -> i32 {
    i32::from(low as u16) | (i32::from(high) << 16)
}
