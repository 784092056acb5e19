//! Merging the symbols of one word: the adjacent pair of the lowest rank first, the leftmost among equals, until no
//! pair has a rank. (Sennrich, Haddow, Birch: Neural Machine Translation of Rare Words with Subword Units, 2016.)
//!
//! The symbols form a linked list and their ranked pairs a heap, so a word of n bytes takes O(n log n).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::pair_hash::PairHash;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// The longest word that is merged as one; longer ones are cut, because places in a word are 32-bit numbers.
pub(super) const MAX_WORD: usize = 1 << 30;

/// The ranks of pairs of symbols, and what they merge to.
#[derive(Debug, Default)]
pub(super) struct MergeTable(HashMap<u64, Merge, PairHash>);

#[derive(Debug, Clone, Copy)]
struct Merge {
    rank: u32,
    whole: u32,
}

impl MergeTable {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(count, PairHash::default()))
    }

    /// Enters a pair; of a pair entered twice the first stays.
    pub(super) fn insert(&mut self, left: u32, right: u32, rank: u32, whole: u32) {
        self.0.entry(key(left, right)).or_insert(Merge { rank, whole });
    }
}

fn key(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A symbol of a word. Its place in the list of nodes is the place of its first byte in the word.
#[derive(Debug, Clone, Copy)]
struct Node {
    symbol: u32,
    before: u32,
    after: u32,
    /// What the symbol and the one after it merge to.
    merge: Option<Merge>,
}

/// The working memory of merging, to be used for many words.
#[derive(Debug, Default)]
pub(super) struct Merger {
    nodes: Vec<Node>,
    /// Rank and place of pairs, in the upper and the lower half. An entry is out of date if the pair at its place has
    /// another rank by now: ranks belong to one pair each.
    heap: BinaryHeap<Reverse<u64>>,
}

impl Merger {
    /// Merges a word that is given as one symbol a byte, at most [`MAX_WORD`] of them, and calls `symbol` with
    /// each symbol that is left and the range of its bytes.
    pub(super) fn merge(
        &mut self,
        table: &MergeTable,
        symbols: impl ExactSizeIterator<Item = u32>,
        mut symbol: impl FnMut(u32, std::ops::Range<usize>),
    ) {
        let length = symbols.len();
        self.link(symbols);
        for place in 1..length {
            self.offer(table, place as u32 - 1, place as u32);
        }
        while let Some(Reverse(entry)) = self.heap.pop() {
            self.apply(table, (entry >> 32) as u32, entry as u32);
        }
        let mut place = 0;
        while let Some(node) = self.nodes.get(place) {
            let end = if node.after == NONE { length } else { node.after as usize };
            symbol(node.symbol, place..end);
            place = end;
        }
    }

    fn link(&mut self, symbols: impl ExactSizeIterator<Item = u32>) {
        self.heap.clear();
        self.nodes.clear();
        let last = (symbols.len() as u32).wrapping_sub(1);
        self.nodes.extend((0_u32..).zip(symbols).map(|(place, symbol)| Node {
            symbol,
            before: place.checked_sub(1).unwrap_or(NONE),
            after: if place == last { NONE } else { place + 1 },
            merge: None,
        }));
    }

    /// Looks up the pair at `left` and `right`, and puts it on the heap if it has a rank.
    fn offer(&mut self, table: &MergeTable, left: u32, right: u32) {
        let pair = key(self.nodes[left as usize].symbol, self.nodes[right as usize].symbol);
        let merge = table.0.get(&pair).copied();
        self.nodes[left as usize].merge = merge;
        if let Some(Merge { rank, .. }) = merge {
            self.heap.push(Reverse(key(rank, left)));
        }
    }

    /// Merges the pair at `left`, unless its rank has changed, and offers its new neighbourhood.
    fn apply(&mut self, table: &MergeTable, rank: u32, left: u32) {
        let Node { before, after: right, merge, .. } = self.nodes[left as usize];
        let Some(merge) = merge.filter(|merge| merge.rank == rank) else { return };
        let after = self.nodes[right as usize].after;
        self.nodes[right as usize].merge = None;
        self.nodes[left as usize] = Node { symbol: merge.whole, before, after, merge: None };
        if after != NONE {
            self.nodes[after as usize].before = left;
            self.offer(table, left, after);
        }
        if before != NONE {
            self.offer(table, before, left);
        }
    }
}
