//! From a token's bytes to its id.

use std::hash::{BuildHasher, RandomState};

use super::byte_strings::ByteStrings;

/// Marks a free slot; no id reaches it, because ids are checked to be fewer.
const FREE: u32 = u32::MAX;

/// A hash table of ids whose keys lie in a `ByteStrings` that the caller keeps: no string is stored twice.
/// Open addressing with linear probing, at most three quarters full. The hash is keyed at random, so that files cannot
/// be made to collide.
#[derive(Debug, Clone)]
pub(super) struct TextIndex {
    slots: Vec<Slot>,
    used: usize,
    multiplier: u64,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    id: u32,
}

impl TextIndex {
    /// An empty index with room for `count` keys.
    pub(super) fn with_capacity(count: usize) -> Self {
        let slots = vec![Slot { tag: 0, id: FREE }; (count + count / 3 + 1).next_power_of_two().max(16)];
        Self { slots, used: 0, multiplier: RandomState::new().hash_one(0) | 1 }
    }

    /// The id of `key`, or none. `strings` are those that the ids were inserted for.
    pub(super) fn get(&self, strings: &ByteStrings, key: &[u8]) -> Option<u32> {
        let (slot, _) = self.find(strings, key);
        let id = self.slots[slot].id;
        (id != FREE).then_some(id)
    }

    /// The id of `key`; `id` is entered for it, and returned, if it has none yet.
    /// `strings` must hold `key` at `id` from here on.
    pub(super) fn get_or_insert(&mut self, strings: &ByteStrings, key: &[u8], id: u32) -> u32 {
        let (slot, tag) = self.find(strings, key);
        if self.slots[slot].id != FREE {
            return self.slots[slot].id;
        }
        self.slots[slot] = Slot { tag, id };
        self.used += 1;
        if self.used * 4 > self.slots.len() * 3 {
            self.grow();
        }
        id
    }

    /// The slot that holds `key`, or the free one where it belongs, and its tag.
    fn find(&self, strings: &ByteStrings, key: &[u8]) -> (usize, u32) {
        let tag = self.hash(key);
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        loop {
            let Slot { tag: found, id } = self.slots[slot];
            if id == FREE || (found == tag && strings.get(id as usize) == Some(key)) {
                return (slot, tag);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Folded multiplications over eight bytes at a time, from a secret start.
    fn hash(&self, key: &[u8]) -> u32 {
        let fold = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * u128::from(self.multiplier);
            product as u64 ^ (product >> 64) as u64
        };
        let mut hash = fold(self.multiplier, key.len() as u64);
        for chunk in key.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = fold(hash.wrapping_add(self.multiplier), u64::from_le_bytes(word));
        }
        hash as u32
    }

    /// Doubles the table. Keys are all different, so tags alone say where they go.
    fn grow(&mut self) {
        let free = vec![Slot { tag: 0, id: FREE }; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, free);
        let mask = self.slots.len() - 1;
        for entry in old.into_iter().filter(|entry| entry.id != FREE) {
            let mut slot = entry.tag as usize & mask;
            while self.slots[slot].id != FREE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_key_while_it_grows_and_keeps_the_first_id() {
        let strings: ByteStrings = (0..1000).map(|i| (i % 700).to_string()).collect();
        let mut index = TextIndex::with_capacity(0);
        for (id, key) in strings.iter().enumerate() {
            assert_eq!(index.get_or_insert(&strings, key, id as u32), id as u32 % 700);
        }
        for id in 0..1000_u32 {
            let key = (id % 700).to_string();
            assert_eq!(index.get(&strings, key.as_bytes()), Some(id % 700));
        }
        assert_eq!(index.get(&strings, b"700"), None);
        assert_eq!(index.get(&strings, b""), None);
    }
}
