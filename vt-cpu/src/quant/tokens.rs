//! Activations as the panels' products want them.

use vt_core::View;

use crate::block::{ActivationBlock, Offset, WeightBlock};

use super::expanded::part_sums;
use super::tile::TOKENS;

/// Elements of one token that lie together.
pub(super) const CHUNK: usize = 32;

/// A slab of activation blocks in `f32`, in groups of a tile's tokens. A group's part of a block is its quants in chunks
/// of [`CHUNK`] elements of each token, its scales, then `s` or the sums of parts of each token. Tokens that are missing
/// in the last group are zero.
pub(super) struct Tokens<'a, W> {
    blocks: usize,
    data: &'a [f32],
    weights: std::marker::PhantomData<W>,
}

/// One group's part of one block.
pub(super) struct TokenBlock<'a> {
    pub(super) quants: &'a [[f32; CHUNK]],
    pub(super) scales: &'a [f32],
    pub(super) offsets: &'a [f32],
}

/// `f32` of a token beside quants and scale.
const fn offsets<W: WeightBlock>() -> usize {
    match W::OFFSET {
        Offset::None => 0,
        Offset::Constant => 1,
        Offset::Minima => W::MINIMA,
    }
}

/// `f32` of one token's block.
pub(super) const fn token_block_size<W: WeightBlock>() -> usize {
    W::ELEMS + 1 + offsets::<W>()
}

impl<'a, W: WeightBlock> Tokens<'a, W> {
    /// Expands the blocks `from .. from + blocks` of the rows of `acts`.
    #[inline(always)]
    pub(super) fn new(acts: View<'_, u8>, from: usize, blocks: usize, scratch: &'a mut [f32]) -> Self {
        let group = TOKENS * token_block_size::<W>();
        let size = acts.rows().div_ceil(TOKENS) * blocks * group;
        let data = &mut scratch[..size];
        for (i, data) in data.chunks_exact_mut(group).enumerate() {
            let (first, block) = (i / blocks * TOKENS, from + i % blocks);
            expand_group::<W>(acts, first, block, data);
        }
        Self { blocks, data, weights: std::marker::PhantomData }
    }

    /// Block `block` of the slab, of group `group`.
    #[inline(always)]
    pub(super) fn block(&self, group: usize, block: usize) -> TokenBlock<'a> {
        let size = TOKENS * token_block_size::<W>();
        let data = &self.data[(group * self.blocks + block) * size..][..size];
        let (quants, rest) = data.split_at(TOKENS * W::ELEMS);
        let (scales, offsets) = rest.split_at(TOKENS);
        TokenBlock { quants: quants.as_chunks().0, scales, offsets }
    }
}

#[inline(always)]
fn expand_group<W: WeightBlock>(acts: View<'_, u8>, first: usize, block: usize, data: &mut [f32]) {
    let bytes = <W::Act as ActivationBlock>::BYTES;
    let present = TOKENS.min(acts.rows() - first);
    if present < TOKENS {
        data.fill(0.0);
    }
    let (quants, rest) = data.split_at_mut(TOKENS * W::ELEMS);
    let (scales, rest) = rest.split_at_mut(TOKENS);
    for t in 0..present {
        let block = &acts.row(first + t)[block * bytes..][..bytes];
        for (chunk, from) in W::Act::quants(block).chunks_exact(CHUNK).enumerate() {
            let to = &mut quants[(chunk * TOKENS + t) * CHUNK..][..CHUNK];
            for (to, &q) in to.iter_mut().zip(from) {
                *to = f32::from(q as i8);
            }
        }
        scales[t] = W::Act::scale(block);
        match W::OFFSET {
            Offset::None => {}
            Offset::Constant => rest[t] = W::Act::sum(block),
            Offset::Minima => {
                let mut parts = [0; 16];
                part_sums(&W::Act::sums(block), &mut parts[..W::MINIMA]);
                for (to, &sum) in rest[W::MINIMA * t..][..W::MINIMA].iter_mut().zip(&parts) {
                    *to = f32::from(sum);
                }
            }
        }
    }
}
