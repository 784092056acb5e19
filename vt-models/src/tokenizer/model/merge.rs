//! Merging the symbols of one word: the adjacent pair of the lowest rank first, the leftmost among equals, until no
//! pair has a rank. (Sennrich, Haddow, Birch: Neural Machine Translation of Rare Words with Subword Units, 2016.)
//!
//! The symbols form a linked list and their ranked pairs a heap, so a word of n bytes takes O(n log n).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::pair_hash::PairHash;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// The longest word that is merged as one; longer ones are cut, because places in a word are 32-bit numbers.
pub(super) const MAX_WORD: usize = 1 << 30;

/// What a pair of symbols merges to, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merge {
    /// The lowest goes first.
    pub(super) rank: u32,
    /// The symbol that the two become.
    pub(super) whole: u32,
}

/// The merges of a vocabulary.
pub(super) trait Merges {
    /// The merge of two symbols that are adjacent in a word, if there is one. `bytes` is the place of both in the word.
    fn find(&self, left: u32, right: u32, bytes: Range<usize>) -> Option<Merge>;
}

/// Merges that are listed by their two parts.
#[derive(Debug, Default)]
pub(super) struct MergeTable(HashMap<u64, Merge, PairHash>);

impl MergeTable {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(count, PairHash::default()))
    }

    /// Enters a pair; of a pair entered twice the first stays.
    pub(super) fn insert(&mut self, left: u32, right: u32, rank: u32, whole: u32) {
        self.0.entry(key(left, right)).or_insert(Merge { rank, whole });
    }
}

impl Merges for MergeTable {
    fn find(&self, left: u32, right: u32, _: Range<usize>) -> Option<Merge> {
        self.0.get(&key(left, right)).copied()
    }
}

fn key(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A symbol of a word. Its place in the list of nodes is the place of its first byte in the word; the places of its
/// other bytes are not used.
#[derive(Debug, Clone, Copy)]
struct Node {
    symbol: u32,
    before: u32,
    after: u32,
    /// What the symbol and the one after it merge to.
    merge: Option<Merge>,
}

/// The working memory of merging, to be used for many words: up to 40 bytes a byte of the longest.
#[derive(Debug, Default)]
pub(super) struct Merger {
    nodes: Vec<Node>,
    /// Rank and place of pairs, in the upper and the lower half. An entry is out of date if the pair at its place has
    /// another rank by now. Where it has the same rank it has an entry of its own, and it does not matter which is used.
    heap: BinaryHeap<Reverse<u64>>,
}

impl Merger {
    /// Merges a word that is given as symbols and the number of their bytes, none without bytes and at most
    /// [`MAX_WORD`] bytes together. Calls `symbol` with each symbol that is left and the range of its bytes.
    pub(super) fn merge(
        &mut self,
        merges: &impl Merges,
        symbols: impl Iterator<Item = (u32, usize)>,
        mut symbol: impl FnMut(u32, Range<usize>),
    ) {
        self.link(symbols);
        self.offer_all(merges);
        while let Some(Reverse(entry)) = self.heap.pop() {
            self.apply(merges, (entry >> 32) as u32, entry as u32);
        }
        let mut place = 0;
        while let Some(node) = self.nodes.get(place) {
            let end = self.end(node);
            symbol(node.symbol, place..end);
            place = end;
        }
    }

    fn link(&mut self, symbols: impl Iterator<Item = (u32, usize)>) {
        self.nodes.clear();
        let mut before = NONE;
        for (symbol, bytes) in symbols {
            let place = self.nodes.len();
            let after = (place + bytes) as u32;
            let node = Node { symbol, before, after, merge: None };
            self.nodes.resize(place + bytes, node);
            before = place as u32;
        }
        if let Some(last) = self.nodes.get_mut(before as usize) {
            last.after = NONE;
        }
    }

    /// Where the bytes of a node end.
    fn end(&self, node: &Node) -> usize {
        if node.after == NONE { self.nodes.len() } else { node.after as usize }
    }

    /// Makes the heap of all pairs, in linear time.
    fn offer_all(&mut self, merges: &impl Merges) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        let mut left = 0;
        while let Some(right) = self.nodes.get(left as usize).map(|node| node.after).filter(|&after| after != NONE) {
            entries.extend(self.rank(merges, left, right).map(|rank| Reverse(key(rank, left))));
            left = right;
        }
        self.heap = entries.into();
    }

    /// Looks up the pair at `left` and `right`; its rank, if it has one.
    fn rank(&mut self, merges: &impl Merges, left: u32, right: u32) -> Option<u32> {
        let right = &self.nodes[right as usize];
        let bytes = left as usize..self.end(right);
        let merge = merges.find(self.nodes[left as usize].symbol, right.symbol, bytes);
        self.nodes[left as usize].merge = merge;
        merge.map(|merge| merge.rank)
    }

    /// Puts the pair at `left` and `right` on the heap if it has a rank.
    fn offer(&mut self, merges: &impl Merges, left: u32, right: u32) {
        if let Some(rank) = self.rank(merges, left, right) {
            self.heap.push(Reverse(key(rank, left)));
        }
    }

    /// Merges the pair at `left`, unless its rank has changed, and offers its new neighbourhood.
    fn apply(&mut self, merges: &impl Merges, rank: u32, left: u32) {
        let Node { before, after: right, merge, .. } = self.nodes[left as usize];
        let Some(merge) = merge.filter(|merge| merge.rank == rank) else { return };
        let after = self.nodes[right as usize].after;
        self.nodes[right as usize].merge = None;
        self.nodes[left as usize] = Node { symbol: merge.whole, before, after, merge: None };
        if after != NONE {
            self.nodes[after as usize].before = left;
            self.offer(merges, left, after);
        }
        if before != NONE {
            self.offer(merges, before, left);
        }
    }
}
