//! Activations as tiles want them.

use std::marker::PhantomData;
use std::ops::Range;

use vt_core::View;

use crate::arch::{Quad, Quads};
use crate::block::{ActivationBlock, MAX_ELEMS, Offset, WeightBlock};
use crate::quant::{expanded::part_sums, parts};

use super::chunk_blocks;

/// Words of a token's sums, high or low, as many bytes as the most minima.
pub(super) const SUMS: usize = 4;

/// A slab of activation blocks, chunk after chunk, in a chunk group after group of columns, in a group block after block.
/// Of each block all columns' quants; then, of minima, the high and the low bits of each column's sums, like quants; then each
/// token's scale, and `s`, as bits. Quants and sums lie as [`Quads::put_words`] has them; a token that is missing is zeros.
pub(super) struct Tokens<'a, W, V> {
    data: &'a [i32],
    blocks: usize,
    columns: usize,
    /// Whether a quant may be -128, which none is that was made here.
    least: bool,
    weights: PhantomData<(W, V)>,
}

/// One block of a group of T columns.
pub(super) struct TokenBlock<'a, const T: usize> {
    pub(super) quants: [&'a [Quad]; T],
    pub(super) high_sums: [&'a [Quad]; T],
    pub(super) low_sums: [&'a [Quad]; T],
    pub(super) scales: &'a [i32],
    /// `s`, or nothing.
    pub(super) sums: &'a [i32],
}

/// Columns in groups of T, and of smaller powers of two at the end: the first of each, and how many.
#[inline(always)]
pub(super) fn groups<const T: usize>(columns: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let count = T.min(1 << (columns - first).checked_ilog2()?);
        first += count;
        Some((first - count, count))
    })
}

/// Words of one token's block.
pub(super) const fn token_block_size<W: WeightBlock, V: Quads>() -> usize {
    let (sums, offset) = match W::OFFSET {
        Offset::None => (0, 0),
        Offset::Constant => (0, 1),
        Offset::Minima => (2 * SUMS, 0),
    };
    (W::ELEMS / 4 + sums) * V::SPREAD + 1 + offset
}

impl<'a, W: WeightBlock, V: Quads> Tokens<'a, W, V> {
    /// Copies the blocks `range` of the rows of `acts`, for tiles of up to T columns.
    #[inline(always)]
    pub(super) fn new<const T: usize>(acts: View<'_, u8>, range: Range<usize>, scratch: &'a mut [i32]) -> Self {
        let (blocks, tokens, mut least) = (range.len(), acts.rows(), false);
        let columns = tokens.div_ceil(V::TOKENS);
        let data = &mut scratch[..blocks * columns * V::TOKENS * token_block_size::<W, V>()];
        if tokens < columns * V::TOKENS {
            data.fill(0);
        }
        let bytes = <W::Act as ActivationBlock>::BYTES;
        let acts = acts.slice_cols(range.start * bytes, blocks * bytes);
        // Group by group: the rows of a few tokens are read as streams.
        for group in groups::<T>(columns) {
            for from in (0..blocks).step_by(chunk_blocks::<W>()) {
                let chunk = &mut data[chunk_range::<W, V>((blocks, columns), from, group)];
                let own = group.1 * V::TOKENS;
                for t in 0..own.min(tokens - group.0 * V::TOKENS) {
                    let row = &acts.row(group.0 * V::TOKENS + t)[from * bytes..];
                    for (block, data) in
                        row.chunks_exact(bytes).zip(chunk.chunks_exact_mut(own * token_block_size::<W, V>()))
                    {
                        least |= V::HALVES && has_least(W::Act::quants(block));
                        write_block::<W, V>(block, (t, own), data);
                    }
                }
            }
        }
        Self { data, blocks, columns, least, weights: PhantomData }
    }

    /// Whether a quant may be -128.
    #[inline(always)]
    pub(super) fn least(&self) -> bool {
        self.least
    }

    /// How many columns.
    #[inline(always)]
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// What a group has of the chunk that starts at block `from`.
    #[inline(always)]
    pub(super) fn chunk(&self, from: usize, group: (usize, usize)) -> &'a [i32] {
        &self.data[chunk_range::<W, V>((self.blocks, self.columns), from, group)]
    }
}

/// Where the chunk that starts at block `from` of a group lies in a slab of so many blocks and columns.
#[inline(always)]
fn chunk_range<W: WeightBlock, V: Quads>(
    (blocks, columns): (usize, usize),
    from: usize,
    (first, count): (usize, usize),
) -> Range<usize> {
    let in_chunk = chunk_blocks::<W>().min(blocks - from);
    let size = V::TOKENS * token_block_size::<W, V>();
    let start = (from * columns + in_chunk * first) * size;
    start..start + in_chunk * count * size
}

/// A block of the chunk of a group of T columns.
#[inline(always)]
pub(super) fn block<W: WeightBlock, V: Quads, const T: usize>(chunk: &[i32], block: usize) -> TokenBlock<'_, T> {
    let tokens = T * V::TOKENS;
    let data = &chunk[block * tokens * token_block_size::<W, V>()..][..tokens * token_block_size::<W, V>()];
    let (quants, mut rest) = data.split_at(tokens * V::SPREAD * W::ELEMS / 4);
    let (mut high_sums, mut low_sums) = ([&[][..]; T], [&[][..]; T]);
    if W::OFFSET == Offset::Minima {
        let (high, other) = rest.split_at(tokens * V::SPREAD * SUMS);
        let (low, other) = other.split_at(tokens * V::SPREAD * SUMS);
        (high_sums, low_sums, rest) = (columns(high), columns(low), other);
    }
    let (scales, sums) = rest.split_at(tokens);
    TokenBlock { quants: columns(quants), high_sums, low_sums, scales, sums }
}

#[inline(always)]
fn columns<const T: usize>(data: &[i32]) -> [&[Quad]; T] {
    let mut columns = [&[][..]; T];
    for t in 0..T {
        columns[t] = data[t * data.len() / T..][..data.len() / T].as_chunks().0;
    }
    columns
}

impl<'a, const T: usize> TokenBlock<'a, T> {
    /// The quants of part `p`.
    #[inline(always)]
    pub(super) fn part<W: WeightBlock, V: Quads>(&self, p: usize) -> [&'a [Quad]; T] {
        let size = W::ELEMS / 16 * V::TOKENS * V::SPREAD / parts::<W>();
        let mut part = [&[][..]; T];
        for t in 0..T {
            part[t] = &self.quants[t][p * size..][..size];
        }
        part
    }
}

/// Token `t` of a group of `tokens`.
#[inline(always)]
fn write_block<W: WeightBlock, V: Quads>(block: &[u8], (t, tokens): (usize, usize), data: &mut [i32]) {
    let (quants, mut rest) = data.split_at_mut(tokens * V::SPREAD * W::ELEMS / 4);
    let own = in_column::<V>(quants, t, tokens);
    for (i, from) in W::Act::quants(block).as_chunks::<32>().0.iter().enumerate() {
        V::put_words::<8>(words(from), 8 * i, t, own);
    }
    if W::OFFSET == Offset::Minima {
        let (high, other) = rest.split_at_mut(tokens * V::SPREAD * SUMS);
        let (low, other) = other.split_at_mut(tokens * V::SPREAD * SUMS);
        let [high_bits, low_bits] = sums_in_bytes::<W>(block);
        V::put_words::<SUMS>(words(&high_bits), 0, t, in_column::<V>(high, t, tokens));
        V::put_words::<SUMS>(words(&low_bits), 0, t, in_column::<V>(low, t, tokens));
        rest = other;
    }
    let (scales, sums) = rest.split_at_mut(tokens);
    scales[t] = W::Act::scale(block).to_bits() as i32;
    if W::OFFSET == Offset::Constant {
        sums[t] = W::Act::sum(block).to_bits() as i32;
    }
}

/// The words of the column of token `t` among those of `tokens`.
#[inline(always)]
fn in_column<V: Quads>(words: &mut [i32], t: usize, tokens: usize) -> &mut [i32] {
    let size = words.len() / tokens * V::TOKENS;
    &mut words[t / V::TOKENS * size..][..size]
}

/// The sums that go with minima: first what is above seven bits, then those.
#[inline(always)]
pub(super) fn sums_in_bytes<W: WeightBlock>(block: &[u8]) -> [[u8; 16]; 2] {
    let (mut sums, mut bytes) = ([0; MAX_ELEMS / 16], [[0; 16]; 2]);
    part_sums(&W::Act::sums(block), &mut sums[..W::MINIMA]);
    for i in 0..sums.len() {
        bytes[0][i] = (sums[i] >> 7) as u8;
        bytes[1][i] = (sums[i] & 127) as u8;
    }
    bytes
}

/// Whether one of the quants is -128.
#[inline(always)]
pub(super) fn has_least(quants: &[u8]) -> bool {
    quants.iter().fold(false, |found, quant| found | (*quant == 0x80))
}

/// A whole array at once: word by word the compiler would not use vectors.
#[inline(always)]
pub(super) fn words<const N: usize>(bytes: &[u8]) -> [i32; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = i32::from_le_bytes(*bytes);
    }
    words
}
