//! Finding things by name.

use std::hash::{BuildHasher, RandomState};

/// A hash table from names to numbers, which leaves the names where they are: six bytes a name.
///
/// Names are hashed with a key of the process's own, so a file cannot aim for collisions.
#[derive(Debug)]
pub(crate) struct Index {
    slots: Vec<u32>,
    hasher: RandomState,
}

const EMPTY: u32 = u32::MAX;

impl Index {
    /// An empty table for `names` names. At least a quarter of the slots stays empty, so every search ends.
    pub fn new(names: usize) -> Self {
        Self { slots: vec![EMPTY; names + names / 3 + 1], hasher: RandomState::new() }
    }

    /// The number of `name`; `name_of` tells the name of a number.
    pub fn find<'a>(&self, name: &[u8], name_of: impl Fn(u32) -> Option<&'a [u8]>) -> Option<u32> {
        let number = *self.slots.get(self.search(name, name_of)?)?;
        (number != EMPTY).then_some(number)
    }

    /// Gives `name` a number; `false` if the name has one.
    pub fn insert<'a>(&mut self, name: &[u8], number: u32, name_of: impl Fn(u32) -> Option<&'a [u8]>) -> bool {
        let found = self.search(name, name_of);
        match found.and_then(|at| self.slots.get_mut(at)) {
            Some(slot) if *slot == EMPTY => {
                *slot = number;
                true
            }
            _ => false,
        }
    }

    /// The slot of `name`, or the empty one where it belongs.
    fn search<'a>(&self, name: &[u8], name_of: impl Fn(u32) -> Option<&'a [u8]>) -> Option<usize> {
        let len = self.slots.len();
        let start = (u128::from(self.hasher.hash_one(name)) * len as u128) >> 64;
        let start = usize::try_from(start).ok()?;
        let is_it = |at: &usize| self.slots.get(*at).is_some_and(|n| *n == EMPTY || name_of(*n) == Some(name));
        (start..len).chain(0..start).find(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_inserted_once() {
        let names: Vec<String> = (0..1000).map(|i| format!("name.{i}")).collect();
        let name_of = |i: u32| names.get(i as usize).map(|n| n.as_bytes());
        let mut index = Index::new(names.len());
        for (i, name) in names.iter().enumerate() {
            assert_eq!(index.find(name.as_bytes(), name_of), None);
            assert!(index.insert(name.as_bytes(), i as u32, name_of));
            assert!(!index.insert(name.as_bytes(), 0, name_of));
        }
        for (i, name) in names.iter().enumerate() {
            assert_eq!(index.find(name.as_bytes(), name_of), Some(i as u32));
        }
        assert_eq!(index.find(b"name.1000", name_of), None);
        assert_eq!(Index::new(0).find(b"a", |_| None), None);
    }
}
